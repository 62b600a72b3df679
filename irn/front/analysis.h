// The analysis of irn/analysis for a Network of either precision: the stability of a state, paths, and how
// equilibria move. irn/front/check.h examines many samples.
//
//   irn::StateStability s = irn::stability(network, x, z);   // eigenvalues of D A - I, rightmost first
//   irn::Trajectory way = irn::trajectory(network, x);       // from rest
//   // all equilibria over a range of an input:
//   irn::branches(irn::along_input(network, x, 0), {.low = -2, .high = 2})
//
// `x` and `z` are one row each: the inputs and a state of the network. Throws irn::Error if they do not fit.
#pragma once

#include "irn/analysis/branches.h"
#include "irn/analysis/stability.h"
#include "irn/analysis/trajectory.h"
#include "irn/front/network.h"

namespace irn {

// The Jacobian of the flow dz/dt = f(A z + B x + b) - z at a state: D A - I, row-major. For networks of up to
// dense_analysis_limit neurons.
std::vector<double> flow_jacobian(const Network& network, View x, View z);

StateStability stability(const Network& network, View x, View z, const StabilityOptions& options = {});

// The path from `start`, or from rest if that is empty.
Trajectory trajectory(const Network& network, View x, View start = {}, const TrajectoryOptions& options = {});

ParameterProblem along_input(const Network& network, View x, std::size_t input);
ParameterProblem along_gain(const Network& network, View x);

}  // namespace irn
