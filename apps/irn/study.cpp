// irn study: questions beyond the paper, measured and judged like its claims.
#include <algorithm>
#include <iostream>
#include <memory>

#include "apps/irn/campaign_run.h"
#include "apps/irn/command.h"
#include "experiments/studies.h"
#include "irn/base/file.h"
#include "irn/base/text.h"

namespace irn::app {
namespace {

using experiments::Study;

struct Arguments : CampaignArguments {
  Words words;  // the study, then its parts
};

const Study& study_named(const Words& words) {
  std::vector<std::string_view> known;
  for (const Study& study : experiments::studies()) known.push_back(study.name);
  if (words.empty()) throw Error("name a study: " + join(known));
  const auto at = std::find(known.begin(), known.end(), words.front());
  if (at == known.end()) throw Error(unknown_name("study", words.front(), known));
  return experiments::studies()[static_cast<std::size_t>(at - known.begin())];
}

int run(Arguments& arguments) {
  arguments.settings.resolve();
  const Study& study = study_named(arguments.words);
  const Words parts(arguments.words.begin() + 1, arguments.words.end());
  return run_campaign(study.campaign(arguments.full, arguments.given_protocol()), arguments, parts,
                      "study-" + study.name, true);
}

const std::map<std::string, std::string> protocol_help = {
    {"seed", "Seed of all random numbers"},
    {"repeats", "Repeats, each with its own rows and initial weights"},
    {"rows", "Rows to train on; a fifth as many choose the epoch"},
    {"held-out", "Rows to test on"},
    {"width", "Neurons of one recurrent layer"},
    {"epochs", "Epochs of each training"},
    {"rate", "Learning rate"},
    {"compared-rows", "Held-out rows that every solver is tried on"},
    {"oscillator-repeats", "Oscillator: repeats, each with its own initial weights"},
    {"oscillator-epochs", "Oscillator: epochs of each training"},
    {"oscillator-held-out", "Oscillator: trajectories to test on"},
    {"oscillator-width", "Oscillator: neurons of one recurrent layer"},
    {"xor-starts", "XOR: random starts to train from"},
    {"xor-steps", "XOR: gradient steps of each training"},
    {"images", "Folder with MNIST's four IDX files, or drawn for digits that irn draws"},
    {"channels", "Filters in the first layer of the network without recurrent connections"},
    {"deepest", "Largest number of hidden layers"}};

}  // namespace

Run add_study(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  std::string about;
  for (const Study& study : experiments::studies()) {
    const std::vector<std::string_view> parts(study.parts.begin(), study.parts.end());
    about += std::string(about.empty() ? " " : "; ") + study.name + " (" + study.about +
             "; parts: " + join(parts) + ")";
  }
  Settings& settings = arguments->settings;
  settings
      .positional("study", &arguments->words,
                  "Study to run, and which of its parts (by default all):" + about)
      .group("Run")
      .add("full", &arguments->full, "Run the full protocol instead of the quick one");
  declare_run(*arguments, "study-NAME");
  std::vector<ProtocolForms> protocols;
  for (const Study& study : experiments::studies())
    protocols.push_back({study.name, study.quick, study.full});
  declare_protocols(*arguments, protocols, protocol_help);
  settings.declare(app, "study", "Compare ways of training and judge claims about them",
                   "Examples:\n"
                   "  irn study settling\n"
                   "  irn study settling xor --xor-starts 500\n"
                   "  irn study settling --full --threads 16 --out settling\n"
                   "  irn study convolution --images mnist\n"
                   "  irn study depth oscillator --deepest 3");
  return [arguments] { return run(*arguments); };
}

}  // namespace irn::app
