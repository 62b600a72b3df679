#include "irn/equilibrium/problem.h"

#include <algorithm>
#include <numeric>

#include "irn/base/error.h"
#include "irn/base/memory.h"
#include "irn/equilibrium/problem_solver.h"
#include "irn/equilibrium/second_try.h"
#include "irn/equilibrium/tolerance.h"

namespace irn {
namespace {

// The caller's starts, or zero.
void start(const BatchProblem& problem, std::size_t count, std::vector<double>& states) {
  states.assign(allocatable(count, problem.size), 0.0);
  if (!problem.start || count == 0) return;
  std::vector<std::size_t> index(count);
  std::iota(index.begin(), index.end(), std::size_t{0});
  problem.start(index, states);
}

// Some of the caller's problems, renumbered.
class SomeProblems {
 public:
  SomeProblems(const BatchProblem& all, std::vector<std::size_t> numbers)
      : numbers_(std::move(numbers)), problem_(all) {
    problem_.map = [this, &all](auto index, auto z, auto f) { all.map(named(index), z, f); };
    if (all.jacobian)
      problem_.jacobian = [this, &all](auto index, auto z, auto j) { all.jacobian(named(index), z, j); };
    if (all.jacobian_times)
      problem_.jacobian_times = [this, &all](auto index, auto z, auto v, auto out) {
        all.jacobian_times(named(index), z, v, out);
      };
  }
  SomeProblems(const SomeProblems&) = delete;  // its functions refer to it
  const BatchProblem& problem() const { return problem_; }

 private:
  std::vector<std::size_t> named(std::span<const std::size_t> index) const {
    std::vector<std::size_t> names;
    for (const std::size_t i : index) names.push_back(numbers_[i]);
    return names;
  }
  std::vector<std::size_t> numbers_;
  BatchProblem problem_;
};

std::vector<double> rows_of(const double* rows, std::size_t n, const std::vector<std::size_t>& which) {
  std::vector<double> some;
  for (const std::size_t i : which) some.insert(some.end(), rows + i * n, rows + (i + 1) * n);
  return some;
}

// Follows the flow closely, from the start, for problems that ended elsewhere.
void try_again(const ProblemTask& task, const std::vector<double>& starts) {
  const std::size_t n = task.problem.size;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < task.count; ++i)
    if (left_by_auto(n)(task.verdicts[i])) left.push_back(i);
  if (left.empty()) return;
  std::vector<double> states = rows_of(starts.data(), n, left);
  const SomeProblems some(task.problem, left);
  std::vector<Verdict> verdicts(left.size());
  Rules<double> rules = task.rules;
  rules.tolerance = std::max(least_tolerance<double>(), rules.tolerance / 100);
  rules.floor = std::min(rules.floor, careful_floor);
  solve_problems(
      {some.problem(), left.size(), rules, task.calls, task.threads, states.data(), verdicts.data()},
      careful_solver(n));
  for (std::size_t k = 0; k < left.size(); ++k)
    if (takes_second(verdicts[k], task.verdicts[left[k]]))
      std::copy_n(&states[k * n], n, task.states + left[k] * n);
}

Equilibria<double> settle(const BatchProblem& problem, std::size_t count, const SettleOptions& options,
                          Calls calls, ThreadPool& threads) {
  check(problem);
  if (options.device != Device::cpu)
    throw Error("a problem of the caller's is solved on the cpu, not on device '" + to_text(options.device) +
                "'");
  const Solver solver = solver_for(options.solver, problem.size);
  const Rules<double> rules{.tolerance = checked_tolerance<double>(options.tolerance),
                            .floor = checked_floor(options.floor),
                            .confirm = options.confirm && !options.certified};
  Equilibria<double> out{problem.size, {}, {}};
  const auto settle_all = [&] {
    if (problem.jacobian) allocatable(problem.size, problem.size);
    out.verdicts.resize(allocatable(count));
    start(problem, count, out.states);
    if (count == 0) return;
    const bool twice = rules.confirm && std::holds_alternative<Auto>(options.solver);
    const std::vector<double> starts = twice ? out.states : std::vector<double>();
    const ProblemTask task{problem, count, rules, calls, threads, out.states.data(), out.verdicts.data()};
    solve_problems(task, solver);
    if (twice) try_again(task, starts);
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
