// The gradient of a loss L on the solutions of a problem of the caller's, z = F(z, p), by the adjoint
// equation at each solution, with g = dL/dz and J = dF/dz there:
//   u = g + J^T u,     dL/dp = (dF/dp)^T u
// Problems up to `dense_limit` unknowns that have a Jacobian, and all that have no transposed_times, solve it
// by factors. A missing Jacobian is formed by products or central differences. All other problems use
// products J^T u in a Krylov space. A problem that has not settled is reported and left out.
#pragma once

#include <span>
#include <vector>

#include "irn/base/threads.h"
#include "irn/equilibrium/problem.h"
#include "irn/gradient/gradient.h"

namespace irn {

struct AdjointOptions {
  double amplification_limit = 1e4;  // of |u| / |g|; beyond it a solution is at a fold and is left out
  std::size_t memory = 100;          // Krylov vectors kept at a time
  std::size_t products = 2000;       // with J^T, about the most spent on a problem
};

struct ProblemGradient {
  std::size_t size = 0;          // of each u
  std::vector<double> adjoints;  // u, row-major [problem][size]; zero where it is not used
  std::vector<GradientOutcome>
      outcomes;                       // used, fold, no_adjoint (products ran out), not_settled, not_finite
  std::vector<double> amplification;  // |u| / |g|, infinite where I - J is singular
  std::vector<double> residuals;      // |g + J^T u - u|, infinite where there is no u
  std::vector<double> parameters;     // dL/dp, summed over the problems used; empty without parameter_product
  std::size_t used = 0;

  std::span<const double> adjoint(std::size_t problem) const {
    return {adjoints.data() + problem * size, size};
  }
};

// `at`: what settle() has found for this problem; `slopes`: dL/dz at each state, row-major [problem][size].
// All norms are maximum norms.
ProblemGradient differentiate(const Problem& problem, const Equilibria<double>& at,
                              std::span<const double> slopes, const AdjointOptions& options = {});
ProblemGradient differentiate(const BatchProblem& problem, const Equilibria<double>& at,
                              std::span<const double> slopes, const AdjointOptions& options = {});

// The same bits on a pool of threads. The threads call all functions of a Problem at once.
ProblemGradient differentiate(const Problem& problem, const Equilibria<double>& at,
                              std::span<const double> slopes, const AdjointOptions& options,
                              ThreadPool& threads);
ProblemGradient differentiate(const BatchProblem& problem, const Equilibria<double>& at,
                              std::span<const double> slopes, const AdjointOptions& options,
                              ThreadPool& threads);

}  // namespace irn
