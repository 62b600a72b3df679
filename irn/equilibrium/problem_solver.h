// The solvers on maps of the caller's own: many problems on one thread.
#pragma once

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/problem.h"
#include "irn/equilibrium/solver.h"

namespace irn {

// `solver` is not Auto. states: row-major [problem][unknown].
void solve_problems(const Problem& problem, std::size_t count, const Solver& solver, double tolerance,
                    double* states, Verdict* verdicts);

}  // namespace irn
