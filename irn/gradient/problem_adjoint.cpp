#include "irn/gradient/problem_adjoint.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "irn/base/memory.h"
#include "irn/equilibrium/arena.h"
// The order matters: a kind of lanes before the text that computes with them.
// clang-format off
#include "irn/kernels/plain_lanes-inl.h"
#include "irn/equilibrium/gmres-inl.h"
// clang-format on

namespace irn {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// The relative residual beyond which u is no answer: relative to the larger of |u| and |g| by factors, to |g|
// by products.
constexpr double trust = 1e-7;
// A Jacobian is formed this many rows at a time: those of a thousand problems fit into memory together.
constexpr std::size_t rows_at_once = 64;

// By factors of I - J^T with partial pivoting, and one round of refinement.
class DenseAdjoint final : public AdjointSolver {
 public:
  DenseAdjoint(const BatchProblem& problem, RowCalls& calls)
      : problem_(problem),
        calls_(calls),
        n_(problem.size),
        jacobian_(n_ * n_),
        factors_(n_ * n_),
        rest_(n_),
        pivots_(n_) {}

  Adjoint solve(std::size_t problem, std::span<const double> z, std::span<const double> g,
                std::span<double> u) override {
    form_jacobian(problem, z);
    if (!std::isfinite(largest(jacobian_))) return {GradientOutcome::not_finite, infinity};
    if (!factor()) return {GradientOutcome::fold, infinity};
    std::copy(g.begin(), g.end(), u.begin());
    substitute(u);
    find_rest(g, u);
    substitute(rest_);
    for (std::size_t i = 0; i < n_; ++i) u[i] += rest_[i];
    find_rest(g, u);
    const double residual = largest(rest_), size = std::max(largest(u), largest(g));
    if (!std::isfinite(size)) return {GradientOutcome::fold, infinity};
    return {residual <= trust * size ? GradientOutcome::used : GradientOutcome::fold, residual};
  }

 private:
  void form_jacobian(std::size_t problem, std::span<const double> z) {
    if (problem_.jacobian) {
      const RowCalls::Rows rows = calls_.room(Ask::jacobian, 1);
      *rows.index = problem;
      std::copy(z.begin(), z.end(), rows.z);
      std::copy_n(calls_.answer(), n_ * n_, jacobian_.begin());
      return;
    }
    const std::size_t most = problem_.jacobian_times ? rows_at_once : rows_at_once / 2;
    for (std::size_t first = 0; first < n_; first += most) {
      const std::size_t count = std::min(most, n_ - first);
      problem_.jacobian_times ? multiply_columns(problem, z, first, count)
                              : difference_columns(problem, z, first, count);
    }
  }
  RowCalls::Rows ask(Ask what, std::size_t problem, std::span<const double> z, std::size_t count) {
    const RowCalls::Rows rows = calls_.room(what, count);
    std::fill_n(rows.index, count, problem);
    for (std::size_t k = 0; k < count; ++k) std::copy(z.begin(), z.end(), rows.z + k * n_);
    return rows;
  }
  // Products with unit vectors.
  void multiply_columns(std::size_t problem, std::span<const double> z, std::size_t first,
                        std::size_t count) {
    const RowCalls::Rows rows = ask(Ask::product, problem, z, count);
    std::fill_n(rows.v, count * n_, 0.0);
    for (std::size_t k = 0; k < count; ++k) rows.v[k * n_ + first + k] = 1;
    const double* out = calls_.answer();
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < n_; ++i) jacobian_[i * n_ + first + k] = out[k * n_ + i];
  }
  // By central differences. Their error is of second order in the step, and smallest with the cube root of
  // the rounding.
  void difference_columns(std::size_t problem, std::span<const double> z, std::size_t first,
                          std::size_t count) {
    const RowCalls::Rows rows = ask(Ask::value, problem, z, 2 * count);
    for (std::size_t k = 0; k < count; ++k) {
      rows.z[2 * k * n_ + first + k] += step(z[first + k]);
      rows.z[(2 * k + 1) * n_ + first + k] -= step(z[first + k]);
    }
    const double* f = calls_.answer();
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < n_; ++i)
        jacobian_[i * n_ + first + k] =
            (f[2 * k * n_ + i] - f[(2 * k + 1) * n_ + i]) / (2 * step(z[first + k]));
  }
  static double step(double z) {
    return std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(z));
  }

  // P (I - J^T) = L U in place; false if a pivot is zero.
  bool factor() {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        factors_[i * n_ + j] = (i == j ? 1.0 : 0.0) - jacobian_[j * n_ + i];
    for (std::size_t k = 0; k < n_; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n_; ++i)
        if (std::abs(factors_[i * n_ + k]) > std::abs(factors_[pivot * n_ + k])) pivot = i;
      pivots_[k] = pivot;
      if (factors_[pivot * n_ + k] == 0) return false;
      std::swap_ranges(&factors_[k * n_], &factors_[k * n_] + n_, &factors_[pivot * n_]);
      eliminate(k);
    }
    return true;
  }
  void eliminate(std::size_t k) {
    const double* upper = &factors_[k * n_];
    for (std::size_t i = k + 1; i < n_; ++i) {
      double* row = &factors_[i * n_];
      const double share = row[k] /= upper[k];
      for (std::size_t j = k + 1; j < n_; ++j) row[j] -= share * upper[j];
    }
  }
  // x = (I - J^T)^-1 x
  void substitute(std::span<double> x) const {
    for (std::size_t k = 0; k < n_; ++k) std::swap(x[k], x[pivots_[k]]);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j) x[i] -= factors_[i * n_ + j] * x[j];
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) x[i] -= factors_[i * n_ + j] * x[j];
      x[i] /= factors_[i * n_ + i];
    }
  }
  // rest = g + J^T u - u
  void find_rest(std::span<const double> g, std::span<const double> u) {
    for (std::size_t i = 0; i < n_; ++i) rest_[i] = g[i] - u[i];
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t i = 0; i < n_; ++i) rest_[i] += jacobian_[j * n_ + i] * u[j];
  }

  const BatchProblem& problem_;
  RowCalls& calls_;
  std::size_t n_;
  std::vector<double> jacobian_, factors_, rest_;
  std::vector<std::size_t> pivots_;
};

// By products with J^T alone: GMRES, restarted while it gains; the residual is computed anew from u after
// each cycle.
class KrylovAdjoint final : public AdjointSolver {
 public:
  using V = plain::One<double>;
  static constexpr double accuracy = 1e-12;  // of the residual, relative to |g|

  KrylovAdjoint(const BatchProblem& problem, const AdjointOptions& options, RowCalls& calls)
      : calls_(calls),
        n_(problem.size),
        options_(options),
        gmres_(options.memory, n_, arena_),
        u_(arena_.vectors(1, n_)),
        rest_(arena_.vectors(1, n_)),
        step_(arena_.vectors(1, n_)) {}

  Adjoint solve(std::size_t problem, std::span<const double> z, std::span<const double> g,
                std::span<double> u) override {
    problem_ = problem, z_ = z, finite_ = true, products_ = 0;
    const bool found = run_cycles(g);
    double residual = 0;
    for (std::size_t i = 0; i < n_; ++i) u[i] = u_[i].v, residual = std::max(residual, std::abs(rest_[i].v));
    if (!finite_ || !std::isfinite(largest(u))) return {GradientOutcome::not_finite, infinity};
    // A Krylov space of all dimensions contains the answer, if there is one.
    const GradientOutcome without =
        n_ <= options_.memory ? GradientOutcome::fold : GradientOutcome::no_adjoint;
    return {found ? GradientOutcome::used : without, residual};
  }

  void operator()(const V* v, V* out) {  // out = v - J^T v
    const RowCalls::Rows rows = calls_.room(Ask::transposed, 1);
    *rows.index = problem_;
    std::copy(z_.begin(), z_.end(), rows.z);
    for (std::size_t i = 0; i < n_; ++i) rows.v[i] = v[i].v;
    const double* answer = calls_.answer();
    for (std::size_t i = 0; i < n_; ++i) {
      out[i] = V(v[i].v - answer[i]);
      finite_ = finite_ && std::isfinite(answer[i]);
    }
    ++products_;
  }

 private:
  // Computes u_ and rest_ = g + J^T u - u; returns whether u can be trusted.
  bool run_cycles(std::span<const double> g) {
    for (std::size_t i = 0; i < n_; ++i) rest_[i] = V(g[i]), u_[i] = V();
    const double size = rest();
    double left = size;
    // If a cycle leaves more than half, rounding allows no further gain, or the whole space contains no
    // answer.
    for (double before = infinity; left > 4 * accuracy * size && products_ < options_.products && finite_;) {
      if (left > 0.5 * before && (left <= trust * size || n_ <= options_.memory)) break;
      before = left;
      V reached;
      gmres_.solve(*this, rest_, V(accuracy * size / left), step_, reached);
      plain::add_scaled(u_, V(1.0), step_, n_);
      (*this)(u_, rest_);
      for (std::size_t i = 0; i < n_; ++i) rest_[i] = V(g[i]) - rest_[i];
      left = rest();
    }
    return left <= trust * size;
  }
  double rest() const { return sqrt(plain::dot(rest_, rest_, n_)).v; }

  RowCalls& calls_;
  std::size_t n_;
  AdjointOptions options_;
  Arena<V> arena_;
  plain::Gmres<V> gmres_;
  V *u_, *rest_, *step_;
  std::size_t problem_ = 0, products_ = 0;
  std::span<const double> z_;
  bool finite_ = true;
};

}  // namespace

bool solved_by_factors(const BatchProblem& problem) {
  return !problem.transposed_times || (problem.jacobian && problem.size <= dense_limit);
}

std::unique_ptr<AdjointSolver> make_adjoint_solver(const BatchProblem& problem, const AdjointOptions& options,
                                                   RowCalls& calls) {
  if (solved_by_factors(problem)) return std::make_unique<DenseAdjoint>(problem, calls);
  return std::make_unique<KrylovAdjoint>(problem, options, calls);
}

std::size_t adjoint_bytes(const BatchProblem& problem, const AdjointOptions& options) {
  const std::size_t n = problem.size, vectors = std::min(options.memory, n) + 8;
  if (!solved_by_factors(problem)) return allocatable(n + vectors, vectors) * sizeof(double);
  return allocatable(3 * allocatable(n) + 2 * rows_at_once, n) * sizeof(double);
}

double largest(std::span<const double> v) {
  double most = 0;
  for (const double x : v) {
    if (!std::isfinite(x)) return std::abs(x);
    most = std::max(most, std::abs(x));
  }
  return most;
}

}  // namespace irn
