#include "irn/equilibrium/problem.h"

#include <numeric>

#include "irn/base/error.h"
#include "irn/base/memory.h"
#include "irn/equilibrium/problem_solver.h"
#include "irn/equilibrium/tolerance.h"

namespace irn {
namespace {

// Zero, or what the caller says.
void start(const BatchProblem& problem, std::size_t count, std::vector<double>& states) {
  states.assign(allocatable(count, problem.size), 0.0);
  if (!problem.start || count == 0) return;
  std::vector<std::size_t> index(count);
  std::iota(index.begin(), index.end(), std::size_t{0});
  problem.start(index, states);
}

Equilibria<double> settle(const BatchProblem& problem, std::size_t count, const SettleOptions& options,
                          Calls calls, ThreadPool& threads) {
  check(problem);
  if (options.device != Device::cpu)
    throw Error("a problem of the caller's is solved on the cpu, not on device '" + to_text(options.device) +
                "'");
  const Solver solver = solver_for(options.solver, problem.size);
  const double tolerance = checked_tolerance<double>(options.tolerance);
  Equilibria<double> out{problem.size, {}, {}};
  const auto settle_all = [&] {
    if (problem.jacobian) allocatable(problem.size, problem.size);
    out.verdicts.resize(allocatable(count));
    start(problem, count, out.states);
    if (count == 0) return;
    solve_problems({problem, count, tolerance, calls, threads, out.states.data(), out.verdicts.data()},
                   solver);
  };
  within_memory(settle_all, [&] {
    return std::to_string(count) + " states of " + std::to_string(problem.size) + " numbers";
  });
  return out;
}

}  // namespace

Equilibria<double> settle(const Problem& problem, std::size_t count, const SettleOptions& options,
                          ThreadPool& threads) {
  return settle(in_rows(problem), count, options, Calls::alone, threads);
}
Equilibria<double> settle(const BatchProblem& problem, std::size_t count, const SettleOptions& options,
                          ThreadPool& threads) {
  return settle(problem, count, options, Calls::together, threads);
}
Equilibria<double> settle(const Problem& problem, std::size_t count, const SettleOptions& options) {
  ThreadPool alone(1);
  return settle(problem, count, options, alone);
}
Equilibria<double> settle(const BatchProblem& problem, std::size_t count, const SettleOptions& options) {
  ThreadPool alone(1);
  return settle(problem, count, options, alone);
}

}  // namespace irn
