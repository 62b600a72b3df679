#include <algorithm>
#include <cmath>
#include <vector>

#include "irn/analysis/dynamics-inl.h"
#include "irn/analysis/path_watch-inl.h"

namespace irn {
namespace {

struct PathPoint {
  double t = 0;
  Vector z;
};

// The cubic between two points of a path, by values and slopes at both.
class Piece {
 public:
  Piece(const Trajectory& way, std::size_t k, const Problem& problem, std::size_t i)
      : a_{way.times[k], vector_of(way.state(k))}, b_{way.times[k + 1], vector_of(way.state(k + 1))} {
    from_ = slope(a_.z, problem, i), to_ = slope(b_.z, problem, i);
  }
  PathPoint at(double s) const {
    const double h = b_.t - a_.t, r = 1 - s;
    return {a_.t + s * h,
            (r * r * (1 + 2 * s)) * a_.z + (s * s * (1 + 2 * r)) * b_.z + h * s * r * (r * from_ - s * to_)};
  }
  // Where the unknown passes the level upwards.
  PathPoint crossing(Eigen::Index unknown, double level) const {
    double low = 0, high = 1;
    for (int k = 0; k < 50; ++k) (at((low + high) / 2).z(unknown) < level ? low : high) = (low + high) / 2;
    return at(high);
  }

 private:
  static Vector slope(const Vector& z, const Problem& problem, std::size_t i) {
    Vector f(z.size());
    problem.map(i, span_of(z), {f.data(), problem.size});
    return f - z;
  }
  PathPoint a_, b_;
  Vector from_, to_;
};

struct Ends {
  Vector low, high;
  explicit Ends(const Trajectory& way) : low(vector_of(way.state(0))), high(low) {
    for (std::size_t k = 1; k < way.times.size(); ++k) {
      const Vector z = vector_of(way.state(k));
      low = low.cwiseMin(z), high = high.cwiseMax(z);
    }
  }
};

// The largest residual in the second half of the time relative to that in the first half.
double fall(const Trajectory& way) {
  const double middle = (way.times.front() + way.times.back()) / 2;
  double first = 0, second = 0;
  for (std::size_t k = 0; k < way.times.size(); ++k) {
    double& largest = way.times[k] < middle ? first : second;
    largest = std::max(largest, way.residuals[k]);
  }
  return second / first;
}

std::vector<PathPoint> section(const Trajectory& way, const Problem& problem, std::size_t i,
                               std::size_t unknown, double level) {
  std::vector<PathPoint> found;
  for (std::size_t k = 0; k + 1 < way.times.size(); ++k)
    if (way.state(k)[unknown] < level && way.state(k + 1)[unknown] >= level)
      found.push_back(Piece(way, k, problem, i).crossing(index_of(unknown), level));
  return found;
}

// The time after which the state returns; 0 if it does not.
double period(const std::vector<PathPoint>& section, double amplitude) {
  constexpr std::size_t most_turns = 16;  // in one period, which may pass the section several times
  constexpr double same = 1e-3;           // relative to the amplitude
  const std::size_t last = section.size();
  for (std::size_t turns = 1; turns <= most_turns && 3 * turns < last; ++turns) {
    double apart = 0;
    for (std::size_t k = last - 2 * turns; k < last; ++k)
      apart = std::max(apart, (section[k].z - section[k - turns].z).cwiseAbs().maxCoeff());
    if (apart <= same * amplitude) return (section[last - 1].t - section[last - 1 - 2 * turns].t) / 2;
  }
  return 0;
}

}  // namespace

void judge(const Trajectory& piece, const Problem& problem, std::size_t i, double tolerance,
           SettlingPath& path) {
  constexpr std::size_t least = 16;  // points; with fewer, the state has left the range of numbers
  constexpr double same = 0.98;      // a cycle watched over many turns keeps its residual
  const double ratio = fall(piece), span = piece.times.back();
  if (piece.at_rest || (ratio < same && piece.times.size() >= least)) {
    path.end = PathEnd::slow;
    path.rate =
        piece.at_rest ? std::log(piece.residuals.front() / tolerance) / span : -std::log(ratio) / (span / 2);
    path.time_left = span + std::log(std::max(1.0, piece.residuals.back() / tolerance)) / path.rate;
    return;
  }
  const Ends ends(piece);
  Eigen::Index widest = 0;
  path.amplitude = (ends.high - ends.low).maxCoeff(&widest) / 2;
  path.widest = static_cast<std::size_t>(widest);
  const double level = (ends.low(widest) + ends.high(widest)) / 2;
  path.period = period(section(piece, problem, i, path.widest, level), path.amplitude);
  if (path.period > 0) {
    path.end = PathEnd::cycles;
    return;
  }
  // It has never turned back by a tenth of its way.
  const double way = std::abs(piece.last()[path.widest] - piece.state(0)[path.widest]);
  const bool away = piece.times.size() < least || way > 1.8 * path.amplitude;
  path.end = away ? PathEnd::runs_away : PathEnd::wanders;
  if (away) path.amplitude = 0;
}

}  // namespace irn
