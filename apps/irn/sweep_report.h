// What a sweep found, as text, JSON, CSV and a page.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/irn/sweep_run.h"

namespace irn::app {

std::string sweep_text(const SweepPlan& plan, const SweepState& state);
nlohmann::ordered_json sweep_json(const SweepPlan& plan, const SweepState& state,
                                  const std::filesystem::path& out);
// A line for every trial on every rung.
std::string trials_csv(const SweepPlan& plan, const SweepState& state);
// Scores over each option, parallel coordinates, the learning curves of the best model (from its folder), all trials.
std::string sweep_page(const SweepPlan& plan, const SweepState& state, const std::string& data,
                       const std::string& settings, const std::filesystem::path& out);

}  // namespace irn::app
