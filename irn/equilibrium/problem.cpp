#include "irn/equilibrium/problem.h"

#include "irn/base/error.h"
#include "irn/base/memory.h"
#include "irn/equilibrium/problem_solver.h"
#include "irn/equilibrium/tolerance.h"

namespace irn {

Equilibria<double> settle(const Problem& problem, std::size_t count, const SettleOptions& options) {
  if (problem.size == 0) throw Error("a problem needs at least one unknown; its size is 0");
  if (!problem.map) throw Error("a problem needs its map z -> F(z); none was given");
  const Solver solver = solver_for(options.solver, problem.size);
  const double tolerance = checked_tolerance<double>(options.tolerance);
  Equilibria<double> out{problem.size, {}, {}};
  const auto settle_all = [&] {
    if (problem.jacobian) allocatable(problem.size, problem.size);
    out.verdicts.resize(allocatable(count));
    out.states.resize(allocatable(count, problem.size));
    if (count > 0) solve_problems(problem, count, solver, tolerance, out.states.data(), out.verdicts.data());
  };
  within_memory(settle_all, [&] {
    return std::to_string(count) + " states of " + std::to_string(problem.size) + " numbers";
  });
  return out;
}

}  // namespace irn
