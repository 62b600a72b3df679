// What a sweep found, as a page: scores over each option, parallel coordinates, the learning curves of the best model (from its folder) and
// the best trials. What was trained for more epochs stands apart from what was trained for fewer: their scores do not compare.
#pragma once

#include <filesystem>
#include <string>

#include "apps/irn/sweep_run.h"

namespace irn::app {

std::string sweep_page(const SweepPlan& plan, const SweepState& state, const std::string& data,
                       const std::string& settings, const std::filesystem::path& out);

}  // namespace irn::app
