// irn reproduce: the paper's figures, tables and claims.
#include <memory>

#include "apps/irn/campaign_run.h"
#include "apps/irn/command.h"
#include "apps/irn/device_setting.h"
#include "apps/irn/settings.h"
#include "experiments/reproduction.h"

namespace irn::app {
namespace {

using experiments::Protocol;

struct Arguments : CampaignArguments {
  Words parts;
  std::string device = "cpu";
};

Protocol protocol_of(const Arguments& arguments) {
  Protocol protocol = arguments.full ? Protocol::full() : Protocol::quick();
  const std::map<std::string, std::string> given = arguments.given_protocol();
  for (const auto& [key, value] : given) set_field(protocol, key, value);
  if (given.contains("repeats") && !given.contains("sweep-repeats"))
    protocol.sweep_repeats = protocol.repeats;
  return protocol;
}

int run(Arguments& arguments) {
  arguments.settings.resolve();
  const Device device = device_of(arguments.device);
  return run_campaign(experiments::reproduction(protocol_of(arguments), device), arguments, arguments.parts,
                      device == Device::cpu ? "reproduction" : "reproduction-cuda");
}

}  // namespace

Run add_reproduce(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  std::string names;
  for (const experiments::Part& part : experiments::parts())
    names += (names.empty() ? "" : ", ") + std::string(part.name);
  Settings& settings = arguments->settings;
  settings.positional("parts", &arguments->parts, "Parts to run, all if none is named: " + names)
      .add("full", &arguments->full, "The paper's whole protocol instead of the quick one")
      .add("device", &arguments->device,
           "Where networks are trained: cpu, cuda, or cuda:N for one of several. A CUDA device takes the "
           "runs of learning curves and sweep, all at once; "
           "what it has no kernels for runs on the threads beside it");
  declare_run(*arguments, "reproduction");
  declare_protocols(*arguments, {{"reproduce", fields_of(Protocol::quick()), fields_of(Protocol::full())}});
  settings.declare(app, "reproduce", "Regenerate the paper's figures and tables and judge its claims",
                   "Examples:\n"
                   "  irn reproduce\n"
                   "  irn reproduce oscillator --full --threads 16 --out paper\n"
                   "  irn reproduce oscillator sweep --full --repeats 1000 --device cuda");
  return [arguments] { return run(*arguments); };
}

}  // namespace irn::app
