// One problem of a Problem, in vectors: its map, its Jacobian, Newton's method and the flow from many starts.
#pragma once

#include <optional>
#include <vector>

#include "irn/analysis/dynamics-inl.h"
#include "irn/base/threads.h"
#include "irn/equilibrium/problem.h"

namespace irn {

class ProblemAt {
 public:
  // Refers to the problem. Throws irn::Error if it has more unknowns than dense analysis allows.
  ProblemAt(const Problem& problem, std::size_t i);

  Eigen::Index size() const { return index_of(problem_.size); }
  Vector map(const Vector& z) const;
  Matrix jacobian(const Vector& z) const;
  Vector start() const;
  double residual(const Vector& z) const { return (map(z) - z).cwiseAbs().maxCoeff(); }

  // (I - J)^-1 (F(z) - z); not finite if there is no inverse.
  Vector newton_step(const Vector& z) const;
  // Newton's method from nearby, to the last digits. None if it leaves the neighbourhood or does not
  // converge.
  std::optional<Vector> polished(Vector z) const;

  // What the flow reaches from each start: states and verdicts. A solver that does not follow the flow is
  // replaced by auto.
  Equilibria<double> flows(const std::vector<Vector>& starts, const SettleOptions& settle,
                           ThreadPool& threads) const;
  // The same for starts near an edge between basins: auto takes steps with a two-hundredth of its error,
  // about six times as many, and what it does not settle gets a second opinion (trajectory.h).
  Equilibria<double> careful_flows(const std::vector<Vector>& starts, const SettleOptions& settle,
                                   ThreadPool& threads) const;

 private:
  const Problem& problem_;
  std::size_t i_;
};

// Whether two equilibria are the same: the difference is below `within` times the size of the equilibrium, or
// times 1 if that is larger, in maximum norms.
bool same_state(const Vector& a, const Vector& b, double within = 1e-6);

}  // namespace irn
