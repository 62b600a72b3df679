// The solvers for the caller's own maps.
#pragma once

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/problem_rows.h"
#include "irn/equilibrium/rules.h"
#include "irn/equilibrium/solver.h"

namespace irn {

struct ProblemTask {
  const BatchProblem& problem;
  std::size_t count;
  Rules<double> rules;
  Calls calls;
  ThreadPool& threads;
  double* states;  // row-major [problem][unknown]: where the problems start and, afterwards, where they end
  Verdict* verdicts;
};
void solve_problems(const ProblemTask& task, const Solver& solver);  // not Auto

}  // namespace irn
