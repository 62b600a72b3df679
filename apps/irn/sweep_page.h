// The page of a sweep: scores over each option, parallel coordinates, the learning curves of the best model
// (from its folder) and the best trials. Trials with different numbers of epochs are kept apart: their scores
// do not compare.
#pragma once

#include <filesystem>
#include <string>

#include "apps/irn/sweep_run.h"

namespace irn::app {

std::string sweep_page(const SweepPlan& plan, const SweepState& state, const std::string& data,
                       const std::string& settings, const std::filesystem::path& out);

}  // namespace irn::app
