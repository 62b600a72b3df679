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

const std::map<std::string, std::string> protocol_help = {
    {"seed", "Seed of all random numbers"},
    {"train-samples", "Oscillator: trajectories to train on"},
    {"test-samples", "Oscillator: trajectories to test on"},
    {"points", "Oscillator: points of each trajectory"},
    {"time-step", "Oscillator: time between points"},
    {"spread", "Oscillator: standard deviation of the initial position and velocity"},
    {"epochs", "Oscillator: epochs of each training"},
    {"steps-per-epoch", "Oscillator: gradient steps per epoch"},
    {"test-every", "Oscillator: epochs between tests"},
    {"repeats", "Networks for each learning curve; sets --sweep-repeats, too"},
    {"batch", "Samples per gradient step"},
    {"hidden", "Hidden neurons of the networks of the learning curves"},
    {"rate", "Learning rate"},
    {"batches-per-epoch", "Readings: batches that the other reading draws in each epoch"},
    {"other-batch", "Readings: samples per batch in the other reading"},
    {"comparison-repeats", "Readings and solvers: networks of each kind"},
    {"sweep-repeats", "Networks for each size in the sweep"},
    {"xor-seeds",
     "XOR: random starts to train from; sets the number of networks in iteration and closed-forms, too"},
    {"xor-steps", "XOR: gradient steps of each training"}};

}  // namespace

Run add_reproduce(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  std::string names;
  for (const experiments::Part& part : experiments::parts())
    names += (names.empty() ? "" : ", ") + std::string(part.name);
  Settings& settings = arguments->settings;
  settings.positional("parts", &arguments->parts, "Parts to run, by default all: " + names)
      .may_be_left_out("parts")
      .group("Run")
      .add("full", &arguments->full, "Run the paper's full protocol instead of the quick one")
      .add(
          "device", &arguments->device,
          "Device to train on: cpu, cuda, or cuda:N for one of several; a CUDA device trains all networks of "
          "the learning curves, the sweep and the readings at once; the processor's threads train the rest "
          "meanwhile");
  declare_run(*arguments, "reproduction");
  declare_protocols(*arguments, {{"reproduce", fields_of(Protocol::quick()), fields_of(Protocol::full())}},
                    protocol_help);
  settings.declare(app, "reproduce", "Regenerate the paper's figures and tables and judge its claims",
                   "Examples:\n"
                   "  irn reproduce\n"
                   "  irn reproduce oscillator --full --threads 16 --out paper\n"
                   "  irn reproduce oscillator sweep --full --repeats 1000 --device cuda");
  return [arguments] { return run(*arguments); };
}

}  // namespace irn::app
