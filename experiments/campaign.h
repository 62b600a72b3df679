// A campaign is what one call of the program computes and reports on: parts with their settings, and the text
// around them. It is the paper's reproduction (reproduction.h) or a study (studies.h). The runner keeps its
// results and the report shows them in the same way.
#pragma once

#include <optional>

#include "experiments/part.h"

namespace irn::experiments {

// A part together with its settings.
struct BoundPart {
  std::string name, title;
  std::vector<Job> jobs;
  std::function<PartReport(const Results&)> assemble;
};

template <class Settings>
BoundPart bind(const PartOf<Settings>& part, const Settings& settings) {
  return {std::string(part.name), std::string(part.title), part.jobs(settings),
          [part, settings](const Results& results) { return part.assemble(settings, results); }};
}

struct Campaign {
  std::string command;  // the command that runs it: "irn reproduce"
  std::string options;  // for these settings: " --full --seed 3"
  std::string title, subtitle;
  std::string claimed_by;                 // heads the column of claims: "the paper says"
  std::vector<FieldText> settings;        // options and values; a folder with others is never continued
  Json json;                              // the settings as they are stored
  std::vector<Decision> decisions = {};   // the reasons for the settings
  std::vector<BoundPart> parts = {};      // in the order of the report
  std::optional<DeviceBatch> batch = {};  // the jobs that a device takes
  std::string device = {};                // the device in words; empty: none
};

// The options that make `wanted` from one of the two presets, whichever gives the shorter text.
std::string options_text(const std::vector<FieldText>& wanted, const std::vector<FieldText>& quick,
                         const std::vector<FieldText>& full);

}  // namespace irn::experiments
