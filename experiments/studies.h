// Questions beyond the paper, each a campaign with its own settings, run by `irn study NAME`.
#pragma once

#include "experiments/campaign.h"

namespace irn::experiments {

struct Study {
  std::string name, about;
  std::vector<FieldText> quick, full;  // settings of the two presets
  std::vector<std::string> parts;
  // The campaign of a preset, with some settings changed. Throws irn::Error for unknown settings and for
  // values that make no sense.
  std::function<Campaign(bool full, const std::map<std::string, std::string>& changed)> campaign;
};

// The one list of studies; the command line and its help read it.
const std::vector<Study>& studies();

template <class Settings>
Study study_of(std::string name, std::string about, Campaign (*make)(const Settings&)) {
  Study study{.name = std::move(name),
              .about = std::move(about),
              .quick = fields_of(Settings::quick()),
              .full = fields_of(Settings::full()),
              .parts = {},
              .campaign = [make](bool full, const std::map<std::string, std::string>& changed) {
                Settings settings = full ? Settings::full() : Settings::quick();
                for (const auto& [key, value] : changed) set_field(settings, key, value);
                return make(settings);
              }};
  for (const BoundPart& part : study.campaign(false, {}).parts) study.parts.push_back(part.name);
  return study;
}

}  // namespace irn::experiments
