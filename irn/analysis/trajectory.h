// The path of a state over time: dz/dt = F(z) - z, by the explicit pair of orders 5 and 4 of Dormand and
// Prince with small steps, in double. For pictures, and as a second opinion that shares nothing with the
// solvers of irn/equilibrium.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "irn/equilibrium/problem.h"

namespace irn {

struct TrajectoryOptions {
  double end = 200;           // in time
  double error = 1e-6;        // of a step, in each unknown relative to max(1, |z_i|)
  double at_rest = 1e-10;     // residual below which the trajectory ends
  std::size_t steps = 20000;  // at most
  double longest_step = 1e9;  // for pictures: enough points to draw
};

struct Trajectory {
  std::size_t size = 0;           // of a state
  std::vector<double> times;      // of each step, starting with 0
  std::vector<double> states;     // row-major [step][unknown]
  std::vector<double> residuals;  // max_i |F(z) - z|_i
  bool at_rest = false;           // whether it ended because it came to rest

  std::span<const double> state(std::size_t step) const { return {states.data() + step * size, size}; }
  std::span<const double> last() const { return state(times.size() - 1); }
};

// For problem i from `start`; if empty, from the problem's own start, which is zero by default.
Trajectory trajectory(const Problem& problem, std::size_t i, std::span<const double> start = {},
                      const TrajectoryOptions& options = {});

}  // namespace irn
