#include "irn/analysis/stability.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "irn/analysis/spectrum-inl.h"
#include "irn/analysis/stability-inl.h"
#include "irn/base/error.h"

namespace irn {
namespace {

using Complex = std::complex<double>;

// Collects the eigenvalues of J, loop after loop, as those of J - I, sorted.
struct Gathered {
  StateStability result;
  Complex rightmost = -HUGE_VAL;  // the rightmost of the loops so far

  // `place`: the index of each unknown of this part among all n.
  void add(const Spectrum& part, std::span<const Eigen::Index> place, std::size_t n) {
    Complex right = -HUGE_VAL;
    for (const Complex& value : part.values) {
      result.eigenvalues.push_back(value - 1.0);
      if (lies_right_of(value, right)) right = value;
    }
    result.complete &= part.complete;
    result.error = std::max(result.error, part.error);
    if (!lies_right_of(right, rightmost)) return;
    rightmost = right;
    if (part.mode.empty()) return;
    result.mode.assign(n, 0.0);
    for (std::size_t k = 0; k < place.size(); ++k)
      result.mode[static_cast<std::size_t>(place[k])] = part.mode[k];
  }
  StateStability finish() {
    std::sort(result.eigenvalues.begin(), result.eigenvalues.end(), lies_right_of);
    return std::move(result);
  }
};

std::vector<Eigen::Index> all_of(Eigen::Index n) {
  std::vector<Eigen::Index> all(static_cast<std::size_t>(n));
  for (Eigen::Index i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}

// D A over the neurons of one loop.
Spectrum of_loop(const Dynamics& dynamics, const Vector& slopes, std::size_t k,
                 const StabilityOptions& options) {
  const std::vector<Eigen::Index>& loop = dynamics.loops()[k];
  if (loop.size() <= options.dense && dynamics.dense())
    return dense_spectrum(slopes(loop).asDiagonal() * dynamics.a()(loop, loop), options.modes);
  const auto times = [&](const Vector& v) -> Vector {
    return slopes(loop).cwiseProduct(dynamics.loop_times(k, v));
  };
  return arnoldi_spectrum(index_of(loop.size()), times, options.vectors, options.accuracy, options.modes);
}

}  // namespace

Attraction StateStability::attraction() const {
  if (!(std::abs(abscissa()) > error)) return Attraction::undecided;
  return abscissa() < 0 ? Attraction::attracts : Attraction::repels;
}
double StateStability::time_constant() const { return attracts() ? -1 / abscissa() : HUGE_VAL; }
double StateStability::frequency() const { return std::abs(rightmost().imag()) / (2 * std::numbers::pi); }
std::size_t StateStability::unstable() const {
  return static_cast<std::size_t>(std::count_if(eigenvalues.begin(), eigenvalues.end(),
                                                [](const Complex& value) { return value.real() > 0; }));
}

StateStability stability_of(const Dynamics& dynamics, const Vector& slopes, const StabilityOptions& options) {
  Gathered gathered;
  std::size_t on_loops = 0;
  for (std::size_t k = 0; k < dynamics.loops().size(); ++k) {
    const auto& loop = dynamics.loops()[k];
    gathered.add(of_loop(dynamics, slopes, k, options), loop, dynamics.neurons());
    on_loops += loop.size();
  }
  // The neurons on no loop have the eigenvalue -1 each. Their mode matters only if there is no loop.
  Spectrum others{std::vector<Complex>(dynamics.neurons() - on_loops), 0, true, {}};
  if (options.modes && on_loops == 0) others.mode.assign(dynamics.neurons(), 0.0), others.mode.back() = 1;
  gathered.add(others, all_of(index_of(others.mode.size())), dynamics.neurons());
  return gathered.finish();
}

StateStability stability_of(const Matrix& jacobian, const StabilityOptions& options) {
  Gathered gathered;
  const auto n = static_cast<std::size_t>(jacobian.rows());
  gathered.add(dense_spectrum(jacobian, options.modes), all_of(jacobian.rows()), n);
  return gathered.finish();
}

template <class T>
StateStability stability(const NetworkOf<T>& network, std::span<const T> x, std::span<const double> z,
                         const StabilityOptions& options) {
  const Dynamics dynamics(network);
  check_state(dynamics, x.size(), z.size());
  return stability_of(dynamics, dynamics.slopes_at(vector_of(z), dynamics.drive(vector_of(x))), options);
}
template StateStability stability(const NetworkOf<float>&, std::span<const float>, std::span<const double>,
                                  const StabilityOptions&);
template StateStability stability(const NetworkOf<double>&, std::span<const double>, std::span<const double>,
                                  const StabilityOptions&);

namespace {

// Column k of J is a product with e_k, or a central difference.
Vector column(const Problem& problem, std::size_t i, std::span<const double> z, std::size_t k) {
  const Eigen::Index n = index_of(z.size());
  Vector out(n), below(n), moved = Vector::Zero(n);
  const std::span<double> to(out.data(), z.size()), other(below.data(), z.size());
  if (problem.jacobian_times) {
    moved[index_of(k)] = 1;
    problem.jacobian_times(i, z, span_of(moved), to);
    return out;
  }
  const double step = std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(z[k]));
  moved = vector_of(z);
  moved[index_of(k)] = z[k] + step;
  problem.map(i, span_of(moved), to);
  moved[index_of(k)] = z[k] - step;
  problem.map(i, span_of(moved), other);
  return (out - below) / (2 * step);
}

// J v: the caller's product, or a difference along v, which has length 1.
Vector times(const Problem& problem, std::size_t i, std::span<const double> z, const Vector& v) {
  Vector out(v.size()), below(v.size());
  const std::span<double> to(out.data(), z.size()), other(below.data(), z.size());
  if (problem.jacobian_times) return problem.jacobian_times(i, z, span_of(v), to), out;
  const Vector at = vector_of(z);
  const double step = std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, at.norm());
  problem.map(i, span_of(at + step * v), to);
  problem.map(i, span_of(at - step * v), other);
  return (out - below) / (2 * step);
}

}  // namespace

Matrix jacobian_of(const Problem& problem, std::size_t i, std::span<const double> z) {
  const Eigen::Index n = index_of(z.size());
  Matrix j(n, n);
  if (problem.jacobian)
    problem.jacobian(i, z, {j.data(), z.size() * z.size()});
  else
    for (std::size_t k = 0; k < z.size(); ++k) j.col(index_of(k)) = column(problem, i, z, k);
  return j;
}

StateStability stability(const Problem& problem, std::size_t i, std::span<const double> z,
                         const StabilityOptions& options) {
  if (z.size() != problem.size)
    throw Error("a state of " + std::to_string(z.size()) + " numbers for a problem of " +
                std::to_string(problem.size));
  if (problem.size <= options.dense) return stability_of(jacobian_of(problem, i, z), options);
  Gathered gathered;
  gathered.add(arnoldi_spectrum(
                   index_of(problem.size), [&](const Vector& v) { return times(problem, i, z, v); },
                   options.vectors, options.accuracy, options.modes),
               all_of(index_of(problem.size)), problem.size);
  return gathered.finish();
}

}  // namespace irn
