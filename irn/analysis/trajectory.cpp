#include "irn/analysis/trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "irn/analysis/dynamics-inl.h"
#include "irn/base/error.h"

namespace irn {
namespace {

// Dormand and Prince, J. Comput. Appl. Math. 6 (1980) 19: the rows of the pair. The last row is the solution
// of order 5; `errors` is its difference from the solution of order 4.
constexpr std::array<std::array<double, 6>, 6> rows = {
    {{1. / 5},
     {3. / 40, 9. / 40},
     {44. / 45, -56. / 15, 32. / 9},
     {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
     {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
     {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}};
constexpr std::array<double, 7> errors = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                          -17253. / 339200, 22. / 525, -1. / 40};

class Walk {
 public:
  Walk(const Problem& problem, std::size_t i, const TrajectoryOptions& options)
      : problem_(problem), i_(i), options_(options), way_{.size = problem.size} {}

  Trajectory from(Vector z) {
    slopes_[0] = velocity(z);
    double time = 0, step = 0.01;
    keep(time, z);
    for (std::size_t k = 0; k < options_.steps && time < options_.end && !way_.at_rest; ++k) {
      const double length = std::min(step, options_.end - time);
      const Vector next = try_step(z, length);
      const double error = error_of(z, next, length);
      // The usual control: the error of a step of order 5 grows like h^5; 0.9 is a safety factor.
      step = std::min(length * std::clamp(0.9 * std::pow(error, -0.2), 0.2, 5.0), options_.longest_step);
      if (!(error <= 1)) {
        if (step < 1e-12) break;  // the state leaves the range of numbers
        continue;
      }
      time += length, z = next;
      slopes_[0] = slopes_[6];  // the last stage is the first of the next step
      keep(time, z);
    }
    return std::move(way_);
  }

 private:
  Vector velocity(const Vector& z) const {
    Vector f(z.size());
    problem_.map(i_, span_of(z), {f.data(), problem_.size});
    return f - z;
  }
  Vector try_step(const Vector& z, double length) {
    Vector at = z;
    for (std::size_t s = 0; s < rows.size(); ++s) {
      at = z;
      for (std::size_t k = 0; k <= s; ++k) at += length * rows[s][k] * slopes_[k];
      slopes_[s + 1] = velocity(at);
    }
    return at;
  }
  double error_of(const Vector& z, const Vector& next, double length) const {
    Vector off = Vector::Zero(z.size());
    for (std::size_t k = 0; k < errors.size(); ++k) off += length * errors[k] * slopes_[k];
    const Vector size = z.cwiseAbs().cwiseMax(next.cwiseAbs()).cwiseMax(1.0);
    // The error is also bounded by a thousandth of the residual per unit of time. With a fixed bound the
    // steps would grow near rest until they are only just stable, and the state would never come to rest.
    const double room = 1e-3 * length * slopes_[0].cwiseAbs().maxCoeff();
    const double error = std::max(off.cwiseQuotient(size).cwiseAbs().maxCoeff() / options_.error,
                                  off.cwiseAbs().maxCoeff() / room);
    return off.allFinite() && next.allFinite() ? std::max(error, 1e-10) : HUGE_VAL;
  }
  void keep(double time, const Vector& z) {
    way_.times.push_back(time);
    way_.states.insert(way_.states.end(), z.begin(), z.end());
    way_.residuals.push_back(slopes_[0].cwiseAbs().maxCoeff());
    way_.at_rest = way_.residuals.back() <= options_.at_rest;
  }

  const Problem& problem_;
  std::size_t i_;
  TrajectoryOptions options_;
  std::array<Vector, 7> slopes_;
  Trajectory way_;
};

}  // namespace

Trajectory trajectory(const Problem& problem, std::size_t i, std::span<const double> start,
                      const TrajectoryOptions& options) {
  if (problem.size == 0 || !problem.map) throw Error("a problem needs unknowns and a map");
  if (!start.empty() && start.size() != problem.size)
    throw Error("a start of " + std::to_string(start.size()) + " numbers for a problem of " +
                std::to_string(problem.size));
  Vector z = Vector::Zero(index_of(problem.size));
  if (!start.empty())
    z = vector_of(start);
  else if (problem.start)
    problem.start(i, {z.data(), problem.size});
  return Walk(problem, i, options).from(std::move(z));
}

}  // namespace irn
