#include "irn/analysis/basin_edge.h"

#include <algorithm>
#include <cmath>

#include "irn/analysis/problem_at-inl.h"
#include "irn/analysis/trajectory.h"

namespace irn {
namespace {

// A line from a state of the path to an equilibrium outside, and the part of it that contains the edge: low
// is inside the basin, high is not.
struct Way {
  std::size_t step, target;
  Vector from, to;
  double low = 0, high = 1;

  Vector at(double share) const { return from + share * (to - from); }
  double distance() const { return high * (to - from).norm(); }
  double least() const { return low * (to - from).norm(); }
};

// Steps of the path: its start, the state nearest to the target, and some spread evenly over its length.
std::vector<std::size_t> steps_towards(const Trajectory& path, const Vector& target) {
  constexpr std::size_t spread = 4;
  std::vector<double> length(path.times.size());
  std::size_t nearest = 0;
  double least = HUGE_VAL;
  for (std::size_t k = 0; k < length.size(); ++k) {
    const Vector z = vector_of(path.state(k));
    if (k > 0) length[k] = length[k - 1] + (z - vector_of(path.state(k - 1))).norm();
    if (const double distance = (z - target).norm(); distance < least) least = distance, nearest = k;
  }
  std::vector<std::size_t> steps = {0, nearest};
  for (std::size_t s = 1; s <= spread; ++s) {
    const double wanted = length.back() * double(s) / double(spread + 1);
    const auto at = std::lower_bound(length.begin(), length.end(), wanted);
    steps.push_back(static_cast<std::size_t>(at - length.begin()));
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

bool nearer(const Way& a, const Way& b) { return a.distance() < b.distance(); }

// Drops each line whose edge, even where it is nearest, is farther than that of another line. Lines from the
// start are compared only with each other.
void drop_the_far(std::vector<Way>& ways) {
  const double any = std::min_element(ways.begin(), ways.end(), nearer)->distance();
  double start = HUGE_VAL;
  for (const Way& way : ways)
    if (way.step == 0) start = std::min(start, way.distance());
  std::erase_if(ways, [&](const Way& way) { return way.least() > (way.step == 0 ? start : any); });
}

// All lines at once: each round follows a flow from the middle of each. After some rounds only lines that may
// still be the nearest remain.
void bisect(const ProblemAt& problem, std::vector<Way>& ways, const Vector& home, const SettleOptions& settle,
            ThreadPool& threads) {
  constexpr int rounds = 20, first = 5;  // to a millionth of the line
  std::vector<Vector> middles;
  for (int round = 0; round < rounds; ++round) {
    if (round >= first) drop_the_far(ways);
    middles.resize(ways.size());
    for (std::size_t k = 0; k < ways.size(); ++k) middles[k] = ways[k].at((ways[k].low + ways[k].high) / 2);
    const Equilibria<double> ends = problem.careful_flows(middles, settle, threads);
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const bool inside = ends.settled(k) && same_state(vector_of(ends.state(k)), home, 1e-3);
      (inside ? ways[k].low : ways[k].high) = (ways[k].low + ways[k].high) / 2;
    }
  }
}

}  // namespace

std::optional<BasinEdge> basin_edge(const Problem& problem, std::size_t i,
                                    const std::vector<std::vector<double>>& equilibria, std::size_t home,
                                    const SettleOptions& settle, ThreadPool& threads) {
  if (equilibria.size() < 2) return {};
  const ProblemAt at(problem, i);
  const Trajectory path = trajectory(problem, i, {}, {.at_rest = 1e-6});
  std::vector<Way> ways;
  for (std::size_t k = 0; k < equilibria.size(); ++k) {
    if (k == home) continue;
    const Vector target = vector_of(std::span<const double>(equilibria[k]));
    for (const std::size_t step : steps_towards(path, target))
      ways.push_back({step, k, vector_of(path.state(step)), target});
  }
  bisect(at, ways, vector_of(std::span<const double>(equilibria[home])), settle, threads);
  const Way& nearest = *std::min_element(ways.begin(), ways.end(), nearer);
  BasinEdge edge{HUGE_VAL,
                 nearest.distance(),
                 path.times[nearest.step],
                 values_of(nearest.from),
                 values_of(nearest.at(nearest.high)),
                 nearest.target};
  for (const Way& way : ways)
    if (way.step == 0) edge.from_start = std::min(edge.from_start, way.distance());
  return edge;
}

}  // namespace irn
