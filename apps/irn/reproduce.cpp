// irn reproduce: the paper's figures, tables and claims.
#include <memory>

#include "apps/irn/campaign_run.h"
#include "apps/irn/command.h"
#include "apps/irn/settings.h"
#include "experiments/reproduction.h"

namespace irn::app {
namespace {

using experiments::Protocol;

struct Arguments : CampaignArguments {
  Words parts;
};

Protocol protocol_of(const Arguments& arguments) {
  Protocol protocol = arguments.full ? Protocol::full() : Protocol::quick();
  for (const auto& [key, value] : arguments.given_protocol()) set_field(protocol, key, value);
  return protocol;
}

int run(Arguments& arguments) {
  arguments.settings.resolve();
  return run_campaign(experiments::reproduction(protocol_of(arguments)), arguments, arguments.parts,
                      "reproduction");
}

}  // namespace

Run add_reproduce(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  std::string names;
  for (const experiments::Part& part : experiments::parts())
    names += (names.empty() ? "" : ", ") + std::string(part.name);
  Settings& settings = arguments->settings;
  settings.positional("parts", &arguments->parts, "Parts to run, all if none is named: " + names)
      .add("full", &arguments->full, "The paper's whole protocol instead of the quick one");
  declare_run(*arguments, "reproduction");
  declare_protocol(*arguments, fields_of(Protocol::quick()), fields_of(Protocol::full()));
  settings.declare(app, "reproduce", "Regenerate the paper's figures and tables and judge its claims",
                   "Examples:\n"
                   "  irn reproduce\n"
                   "  irn reproduce oscillator --full --threads 16 --out paper");
  return [arguments] { return run(*arguments); };
}

}  // namespace irn::app
