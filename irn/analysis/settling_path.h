// How a state moves to its equilibrium, or what it does instead: a trajectory (trajectory.h) and its outcome.
//
// If the flow has not come to rest in the time given, it is watched for a while longer to see what it does.
// The residual still falls; or the state returns to where it was (Poincare's section: where the unknown that
// moves most passes the middle of its range upwards); or it goes on in one direction; or none of these. This
// is an observation, not a proof: a cycle with a longer period than the watched time is not recognised.
// Whether an equilibrium attracts is not examined here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "irn/analysis/trajectory.h"

namespace irn {

enum class PathEnd : std::uint8_t {
  settled,    // the residual came down to the tolerance
  slow,       // the residual still falls
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
  double time_left = 0;    // slow: until the tolerance is reached at this rate
  double period = 0;       // cycles
  double amplitude = 0;    // cycles, wanders: half the range of the unknown that moves most
  std::size_t widest = 0;  // that unknown; if it settles, the one that has moved most
};

struct PathOptions {
  double tolerance = 1e-8;         // of the residual
  double longest = 500;            // until the watching begins; a single neuron comes to rest like e^-t
  std::size_t most_steps = 20000;  // the same; a stiff flow takes small steps
  std::size_t watched = 4000;      // in steps
  double error = 1e-7;             // of a step
};

// For problem i from `start`; if empty, from the problem's own start.
SettlingPath settling_path(const Problem& problem, std::size_t i, std::span<const double> start = {},
                           const PathOptions& options = {});

}  // namespace irn
