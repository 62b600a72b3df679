#include "irn/analysis/settling_path.h"

#include <algorithm>
#include <cmath>

#include "irn/analysis/path_watch-inl.h"

namespace irn {
namespace {

// The most numbers that are kept of a path, 128 MB: wide networks get fewer steps.
constexpr std::size_t most_numbers = std::size_t{1} << 24;

// From the residuals in the last fifth of the path.
double final_rate(const Trajectory& way) {
  const std::size_t last = way.times.size() - 1, from = last - last / 5;
  if (from == last || !(way.residuals[last] > 0) || !(way.residuals[from] > 0)) return 0;
  return std::log(way.residuals[from] / way.residuals[last]) / (way.times[last] - way.times[from]);
}

std::size_t moved_most(const Trajectory& way) {
  std::size_t widest = 0;
  for (std::size_t i = 1; i < way.size; ++i)
    if (std::abs(way.last()[i] - way.state(0)[i]) > std::abs(way.last()[widest] - way.state(0)[widest]))
      widest = i;
  return widest;
}

}  // namespace

SettlingPath settling_path(const Problem& problem, std::size_t i, std::span<const double> start,
                           const PathOptions& options) {
  const std::size_t room = most_numbers / std::max<std::size_t>(1, problem.size);
  TrajectoryOptions walk{.end = options.longest,
                         .error = options.error,
                         .at_rest = options.tolerance,
                         .steps = std::min(options.most_steps, room),
                         .longest_step = options.longest / 200};
  SettlingPath path{.way = trajectory(problem, i, start, walk)};
  if (path.way.at_rest) {
    path.end = PathEnd::settled;
    path.rate = final_rate(path.way);
    path.widest = moved_most(path.way);
    return path;
  }
  walk.end = INFINITY, walk.steps = std::min(options.watched, room);
  judge(trajectory(problem, i, path.way.last(), walk), problem, i, options.tolerance, path);
  return path;
}

}  // namespace irn
