#include "irn/equilibrium/problem.h"

#include "irn/base/error.h"
#include "irn/equilibrium/problem_solver.h"
#include "irn/equilibrium/tolerance.h"

namespace irn {

Equilibria<double> settle(const Problem& problem, std::size_t count, const SettleOptions& options) {
  if (problem.size == 0) throw Error("a problem needs at least one unknown; its size is 0");
  if (!problem.map) throw Error("a problem needs its map z -> F(z); none was given");
  const Solver solver = solver_for(options.solver, problem.size);
  Equilibria<double> out{problem.size, std::vector<double>(count * problem.size),
                         std::vector<Verdict>(count)};
  solve_problems(problem, count, solver, checked_tolerance<double>(options.tolerance), out.states.data(),
                 out.verdicts.data());
  return out;
}

}  // namespace irn
