// u = g + J^T u at one state of a problem of the caller's, in plain doubles: by factors or by products.
// Whether u is used is decided in problem_gradient.cpp by its residual and amplification.
#pragma once

#include <memory>
#include <span>

#include "irn/equilibrium/problem_rows.h"
#include "irn/gradient/problem_gradient.h"

namespace irn {

struct Adjoint {
  GradientOutcome outcome = GradientOutcome::used;  // fold where I - J is singular, no_adjoint, not_finite
  double residual = 0;                              // |g + J^T u - u|
};

class AdjointSolver {
 public:
  virtual ~AdjointSolver() = default;
  virtual Adjoint solve(std::size_t problem, std::span<const double> z, std::span<const double> g,
                        std::span<double> u) = 0;
};

bool solved_by_factors(const BatchProblem& problem);
std::unique_ptr<AdjointSolver> make_adjoint_solver(const BatchProblem& problem, const AdjointOptions& options,
                                                   RowCalls& calls);
// The memory of one solver and of what it hands to the caller at a time; throws std::bad_alloc if no memory
// can hold it.
std::size_t adjoint_bytes(const BatchProblem& problem, const AdjointOptions& options);

// The largest |v_i|; not finite if one of them is not.
double largest(std::span<const double> v);

}  // namespace irn
