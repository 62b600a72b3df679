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

}  // namespace

Run add_study(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  std::string about;
  for (const Study& study : experiments::studies()) {
    const std::vector<std::string_view> parts(study.parts.begin(), study.parts.end());
    about += "; " + study.name + " (" + study.about + "), with the parts " + join(parts);
  }
  Settings& settings = arguments->settings;
  settings
      .positional("study", &arguments->words,
                  "The study, and parts of it to run, all if none is named" + about)
      .add("full", &arguments->full, "The whole protocol instead of the quick one");
  declare_run(*arguments, "study-NAME");
  std::vector<ProtocolForms> protocols;
  for (const Study& study : experiments::studies())
    protocols.push_back({study.name, study.quick, study.full});
  declare_protocols(*arguments, protocols);
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
