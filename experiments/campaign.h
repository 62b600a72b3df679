// A campaign is what one call of the program computes and reports on: parts with their settings, and the words around them. The runner keeps
// its results and the report shows them, whatever it is about: the paper's reproduction (reproduction.h) or a study (studies.h).
#pragma once

#include <optional>

#include "experiments/part.h"

namespace irn::experiments {

// A part that has its settings.
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
  std::string command;  // that runs it: "irn reproduce"
  std::string options;  // for these settings: " --full --seed 3"
  std::string title, subtitle;
  std::string claimed_by;                 // heads the column of claims: "the paper says"
  std::vector<FieldText> settings;        // options and their values; a folder of others is never continued
  Json json;                              // the same, as it is stored
  std::vector<Decision> decisions = {};   // what the settings rest on
  std::vector<BoundPart> parts = {};      // in the order of the report
  std::optional<DeviceBatch> batch = {};  // what a device takes of the jobs
  std::string device = {};                // which one that is, in words; empty: none
};

// The options that lead from one of the two presets to `wanted`, by the shorter way.
std::string options_text(const std::vector<FieldText>& wanted, const std::vector<FieldText>& quick,
                         const std::vector<FieldText>& full);

}  // namespace irn::experiments
