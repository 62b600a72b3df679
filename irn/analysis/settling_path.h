// How a state moves to its equilibrium, or what it does instead: a trajectory (trajectory.h) and what it comes to.
//
// Where the flow has not come to rest in the time it is given, it is watched for a while longer, and that tells: the residual still
// falls, the state comes back to where it was (Poincare's section: where the unknown that moves most passes the middle of its range upwards),
// it goes on in one direction, or none of these. This is what was seen, not a proof: a cycle of a period longer than it was watched for
// is not seen as one. Whether an equilibrium attracts is not asked here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "irn/analysis/trajectory.h"

namespace irn {

enum class PathEnd : std::uint8_t {
  settled,    // the residual came down to the tolerance
  slow,       // it still falls
  cycles,     // the state comes back to where it was, again and again
  runs_away,  // it goes on and on in one direction, or left the range of numbers
  wanders     // none of these: chaos, several frequencies, or not watched long enough
};
inline constexpr std::array<std::string_view, 5> path_end_names = {"settled", "slow", "cycles", "runs_away",
                                                                   "wanders"};
constexpr std::string_view name(PathEnd end) { return path_end_names[static_cast<std::size_t>(end)]; }

struct SettlingPath {
  Trajectory way;  // until it is at rest, or until the watching begins
  PathEnd end = PathEnd::wanders;
  double rate = 0;         // settled, slow: the residual falls like e^(-rate t) at the end
  double time_left = 0;    // slow: until the tolerance is reached at that rate
  double period = 0;       // cycles
  double amplitude = 0;    // cycles, wanders: half the range of the unknown that moves most
  std::size_t widest = 0;  // which that is; where it settles, that which has moved most
};

struct PathOptions {
  double tolerance = 1e-8;         // of the residual
  double longest = 500;            // until the watching begins; a lone neuron comes to rest like e^-t
  std::size_t most_steps = 20000;  // likewise: a stiff flow takes small ones
  std::size_t watched = 4000;      // steps
  double error = 1e-7;             // of a step
};

// Of problem i from `start`; empty: from where the problem starts.
SettlingPath settling_path(const Problem& problem, std::size_t i, std::span<const double> start = {},
                           const PathOptions& options = {});

}  // namespace irn
