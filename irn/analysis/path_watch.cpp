#include <algorithm>
#include <cmath>

#include "irn/analysis/path_watch-inl.h"

namespace irn {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// The point at a share of the way from a to b: the cubic that has both slopes.
PathPoint between(const PathPoint& a, const PathPoint& b, double share) {
  const double h = b.t - a.t, s = share, r = 1 - s;
  return {a.t + s * h,
          (r * r * (1 + 2 * s)) * a.z + (s * s * (1 + 2 * r)) * b.z + h * s * r * (r * a.slope - s * b.slope),
          r * a.slope + s * b.slope};
}

PathPoint crossing(const PathPoint& a, const PathPoint& b, Index neuron, double level) {
  double low = 0, high = 1;
  for (int k = 0; k < 50; ++k) {
    const double middle = (low + high) / 2;
    (between(a, b, middle).z(neuron) < level ? low : high) = middle;
  }
  return between(a, b, high);
}

struct Ends {
  VectorXd low, high;
};
Ends ends(const std::vector<PathPoint>& points) {
  Ends all{points.front().z, points.front().z};
  for (const PathPoint& point : points) {
    all.low = all.low.cwiseMin(point.z);
    all.high = all.high.cwiseMax(point.z);
  }
  return all;
}

}  // namespace

double PathWatch::fall() const {
  const double middle = (points_.front().t + points_.back().t) / 2;
  double first = 0, second = 0;
  for (const PathPoint& point : points_) {
    double& largest = point.t < middle ? first : second;
    largest = std::max(largest, point.residual());
  }
  return second / first;
}

// A neuron that has never turned back by a tenth of its way.
bool PathWatch::drifts() const {
  const Ends all = ends(points_);
  Index widest = 0;
  (all.high - all.low).maxCoeff(&widest);
  const double way = std::abs(points_.back().z(widest) - points_.front().z(widest));
  return way > 0.9 * (all.high - all.low)(widest);
}

void PathWatch::find_widest(SettlingPath& path) const {
  const Ends all = ends(points_);
  Index widest = 0;
  path.amplitude = (all.high - all.low).maxCoeff(&widest) / 2;
  path.neuron = static_cast<std::size_t>(widest);
}

std::vector<PathPoint> PathWatch::section(Index neuron) const {
  const Ends all = ends(points_);
  const double level = (all.low(neuron) + all.high(neuron)) / 2;
  std::vector<PathPoint> found;
  for (std::size_t k = 0; k + 1 < points_.size(); ++k)
    if (points_[k].z(neuron) < level && points_[k + 1].z(neuron) >= level)
      found.push_back(crossing(points_[k], points_[k + 1], neuron, level));
  return found;
}

double PathWatch::period(const std::vector<PathPoint>& section, double amplitude) const {
  constexpr std::size_t most_turns = 16;  // of one period: it may pass the section several times
  constexpr double same = 1e-3;           // of the amplitude
  const std::size_t last = section.size();
  for (std::size_t turns = 1; turns <= most_turns && 3 * turns < last; ++turns) {
    double apart = 0;
    for (std::size_t k = last - 2 * turns; k < last; ++k)
      apart = std::max(apart, (section[k].z - section[k - turns].z).cwiseAbs().maxCoeff());
    if (apart <= same * amplitude) return (section[last - 1].t - section[last - 1 - 2 * turns].t) / 2;
  }
  return 0;
}

// A cycle that is watched over many turns keeps its residual; 2 % less in the second half, and it falls.
void PathWatch::judge(double tolerance, SettlingPath& path) const {
  const double ratio = fall(), span = points_.back().t - points_.front().t;
  find_widest(path);
  if (ratio < 0.98) {
    path.end = PathEnd::slow;
    path.amplitude = 0;
    path.rate = -std::log(ratio) / (span / 2);
    path.time_left = std::log(points_.back().residual() / tolerance) / path.rate;
    return;
  }
  path.period = period(section(static_cast<Index>(path.neuron)), path.amplitude);
  path.end = path.period > 0 ? PathEnd::cycles : drifts() ? PathEnd::runs_away : PathEnd::wanders;
  if (path.end == PathEnd::runs_away) path.amplitude = 0;
}

}  // namespace irn
