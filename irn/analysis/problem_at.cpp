#include "irn/analysis/problem_at-inl.h"
#include "irn/analysis/stability-inl.h"
#include "irn/analysis/trajectory.h"
#include "irn/base/error.h"

namespace irn {

ProblemAt::ProblemAt(const Problem& problem, std::size_t i) : problem_(problem), i_(i) {
  if (problem.size > dense_analysis_limit)
    throw Error("this needs a matrix of " + std::to_string(problem.size) + " unknowns; at most " +
                std::to_string(dense_analysis_limit) + " are taken");
}

Vector ProblemAt::map(const Vector& z) const {
  Vector f(z.size());
  problem_.map(i_, span_of(z), {f.data(), problem_.size});
  return f;
}
Matrix ProblemAt::jacobian(const Vector& z) const { return jacobian_of(problem_, i_, span_of(z)); }
Vector ProblemAt::start() const {
  Vector z = Vector::Zero(size());
  if (problem_.start) problem_.start(i_, {z.data(), problem_.size});
  return z;
}

Vector ProblemAt::newton_step(const Vector& z) const {
  const Matrix j = jacobian(z);
  return (Matrix::Identity(size(), size()) - j).partialPivLu().solve(map(z) - z);
}

std::optional<Vector> ProblemAt::polished(Vector z) const {
  constexpr double reach = 1e-2, enough = 1e-13;
  const Vector from = z;
  double before = residual(z);
  for (int k = 0; k < 20; ++k) {
    const double size = std::max(1.0, z.cwiseAbs().maxCoeff());
    const Vector next = z + newton_step(z);
    const double now = next.allFinite() ? residual(next) : HUGE_VAL;
    if (!(now < before))
      return before <= 1e-9 * size ? std::optional(z) : std::nullopt;  // rounding, or off course
    z = next, before = now;
    if (!same_state(z, from, reach)) return std::nullopt;
    if (now <= enough * size) return z;
  }
  return std::nullopt;
}

Equilibria<double> ProblemAt::flows(const std::vector<Vector>& starts, const SettleOptions& settle,
                                    ThreadPool& threads) const {
  const Problem& own = problem_;
  const std::size_t i = i_;
  Problem flow{.size = own.size};
  flow.map = [&own, i](std::size_t, std::span<const double> z, std::span<double> f) { own.map(i, z, f); };
  if (own.jacobian)
    flow.jacobian = [&own, i](std::size_t, std::span<const double> z, std::span<double> j) {
      own.jacobian(i, z, j);
    };
  if (own.jacobian_times)
    flow.jacobian_times = [&own, i](std::size_t, std::span<const double> z, std::span<const double> v,
                                    std::span<double> out) { own.jacobian_times(i, z, v, out); };
  flow.start = [&starts](std::size_t k, std::span<double> z) {
    std::copy(starts[k].begin(), starts[k].end(), z.begin());
  };
  SettleOptions how = settle;
  how.device = Device::cpu;  // whatever device has settled the samples
  if (!follows_flow(how.solver)) how.solver = Auto{};
  return irn::settle(flow, starts.size(), how, threads);
}

Equilibria<double> ProblemAt::careful_flows(const std::vector<Vector>& starts, const SettleOptions& settle,
                                            ThreadPool& threads) const {
  SettleOptions how = settle;
  if (!follows_flow(how.solver) || std::holds_alternative<Auto>(how.solver))
    how.solver = Rosenbrock{.error = 1e-4, .steps = 2000};
  Equilibria<double> ends = flows(starts, how, threads);
  threads.for_each(starts.size(), [&](std::size_t k, std::size_t) {
    if (ends.settled(k)) return;
    const Trajectory path = trajectory(problem_, i_, span_of(starts[k]), {.at_rest = 1e-8, .steps = 4000});
    if (!path.at_rest) return;
    std::copy(path.last().begin(), path.last().end(),
              ends.states.begin() + std::ptrdiff_t(k * problem_.size));
    ends.verdicts[k] = {.outcome = Outcome::settled,
                        .evaluations = std::uint32_t(6 * path.times.size()),
                        .residual = path.residuals.back()};
  });
  return ends;
}

bool same_state(const Vector& a, const Vector& b, double within) {
  return (a - b).cwiseAbs().maxCoeff() <= within * std::max(1.0, b.cwiseAbs().maxCoeff());
}

}  // namespace irn
