// The findings of a sweep, as text, JSON and CSV. Scores after different numbers of epochs are kept apart:
// they do not compare.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "apps/irn/sweep_run.h"

namespace irn::app {

std::string sweep_text(const SweepPlan& plan, const SweepState& state);
nlohmann::ordered_json sweep_json(const SweepPlan& plan, const SweepState& state,
                                  const std::filesystem::path& out);
// One line for every trial on every rung. No column has the name of an option.
std::string trials_csv(const SweepPlan& plan, const SweepState& state);

}  // namespace irn::app
