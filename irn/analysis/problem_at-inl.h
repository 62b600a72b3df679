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
  // Refers to the problem. Throws irn::Error if it has more unknowns than matrices are made for.
  ProblemAt(const Problem& problem, std::size_t i);

  Eigen::Index size() const { return index_of(problem_.size); }
  Vector map(const Vector& z) const;
  Matrix jacobian(const Vector& z) const;
  Vector start() const;
  double residual(const Vector& z) const { return (map(z) - z).cwiseAbs().maxCoeff(); }

  // (I - J)^-1 (F(z) - z); not finite where there is none.
  Vector newton_step(const Vector& z) const;
  // Newton's method from nearby, to the last digits. None if it goes away or ends nowhere.
  std::optional<Vector> polished(Vector z) const;

  // What the flow reaches from each start: states and verdicts. A solver that does not follow the flow gives way to auto.
  Equilibria<double> flows(const std::vector<Vector>& starts, const SettleOptions& settle,
                           ThreadPool& threads) const;
  // The same where it matters on which side of an edge a start lies: auto takes steps with a two-hundredth of its error, about six times as many,
  // and what it does not settle has a second opinion (trajectory.h).
  Equilibria<double> careful_flows(const std::vector<Vector>& starts, const SettleOptions& settle,
                                   ThreadPool& threads) const;

 private:
  const Problem& problem_;
  std::size_t i_;
};

// Maximum norms of the difference, and of an equilibrium's own size but at least 1: closer than `within` of that, two are one.
bool same_state(const Vector& a, const Vector& b, double within = 1e-6);

}  // namespace irn
