// Where each solver ends on the same network and rows, and whether it is the same state.
#pragma once

#include "experiments/part.h"
#include "irn/base/threads.h"
#include "irn/data/sample_table.h"
#include "irn/network/network.h"

namespace irn::experiments {

// One entry for each solver, and one for the flow from random starts: solver, settled (share), evaluations
// (mean over rows), and, over the rows on which both it and the flow from rest settle: compared (their
// number), elsewhere (how many end in another state), distance (the largest, in the maximum norm, relative to
// the state's size if that is above 1).
Json compare_solvers(const NetworkOf<float>& network, const SampleTable<float>& rows, std::size_t count,
                     ThreadPool& threads);

// States of one equilibrium are closer than this: residuals are below 1e-5, and near the certificate's bound
// (0.95) the error of a state may be some hundred residuals.
inline constexpr double same_state = 0.01;

}  // namespace irn::experiments
