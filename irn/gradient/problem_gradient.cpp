#include "irn/gradient/problem_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "irn/base/error.h"
#include "irn/base/memory.h"
#include "irn/equilibrium/problem_rows.h"
#include "irn/gradient/problem_adjoint.h"

namespace irn {
namespace {

struct Task {
  const BatchProblem& problem;
  const Equilibria<double>& at;
  std::span<const double> slopes;
  const AdjointOptions& options;
  Calls calls;
  ThreadPool& threads;

  std::size_t n() const { return problem.size; }
  std::span<const double> slope(std::size_t i) const { return slopes.subspan(i * n(), n()); }
};

void check_sizes(const Task& task) {
  const std::string n = std::to_string(task.n());
  if (task.at.neurons != task.n())
    throw Error("equilibria of " + std::to_string(task.at.neurons) + " numbers are not of a problem of " + n +
                " unknowns; differentiate where that problem has settled");
  if (task.at.states.size() != task.at.size() * task.n())
    throw Error(std::to_string(task.at.size()) + " verdicts do not go with " +
                std::to_string(task.at.states.size()) + " numbers in states of " + n);
  if (task.slopes.size() != task.at.states.size())
    throw Error("a gradient of " + std::to_string(task.at.size()) + " problems of " + n + " unknowns needs " +
                std::to_string(task.at.states.size()) + " slopes dL/dz; there are " +
                std::to_string(task.slopes.size()));
}
void check_options(const Task& task) {
  if (bool(task.problem.parameter_product) != (task.problem.parameters > 0))
    throw Error("a problem has both a parameter_product and the number of its parameters, or neither");
  if (!(task.options.amplification_limit > 0))
    throw Error("the limit of amplification must be a positive number");
  if (task.options.memory == 0 || task.options.products == 0)
    throw Error("an adjoint needs at least one Krylov vector and one product");
}

// Solves one problem after the other, in the memory of one stack or thread.
class AdjointWork final : public GroupWork {
 public:
  AdjointWork(const Task& task, std::span<const std::size_t> settled, ProblemGradient& out, RowCalls& calls)
      : task_(task),
        settled_(settled),
        out_(out),
        solver_(make_adjoint_solver(task.problem, task.options, calls)) {}

  void run(std::size_t group) override {
    const std::size_t i = settled_[group], n = task_.n();
    const std::span<double> u(out_.adjoints.data() + i * n, n);
    const double g = largest(task_.slope(i));
    if (g > 0 && std::isfinite(g)) {
      const Adjoint found = solver_->solve(i, task_.at.state(i), task_.slope(i), u);
      out_.outcomes[i] = found.outcome;
      out_.residuals[i] = found.residual;
      out_.amplification[i] = std::isfinite(found.residual) ? largest(u) / g : found.residual;
      if (found.outcome == GradientOutcome::used && out_.amplification[i] > task_.options.amplification_limit)
        out_.outcomes[i] = GradientOutcome::fold;
    } else if (g != 0) {
      out_.outcomes[i] = GradientOutcome::not_finite;
      out_.residuals[i] = out_.amplification[i] = std::numeric_limits<double>::infinity();
    }
    if (out_.outcomes[i] != GradientOutcome::used) std::fill(u.begin(), u.end(), 0.0);
  }

 private:
  const Task& task_;
  std::span<const std::size_t> settled_;
  ProblemGradient& out_;
  std::unique_ptr<AdjointSolver> solver_;
};

void solve_adjoints(const Task& task, ProblemGradient& out) {
  std::vector<std::size_t> settled;
  for (std::size_t i = 0; i < task.at.size(); ++i) {
    if (task.at.settled(i)) settled.push_back(i);
    out.outcomes[i] = task.at.settled(i) ? GradientOutcome::used : GradientOutcome::not_settled;
  }
  const std::size_t at_once = groups_at_once(adjoint_bytes(task.problem, task.options));
  const auto make = [&](RowCalls& calls) { return std::make_unique<AdjointWork>(task, settled, out, calls); };
  if (task.calls == Calls::alone)
    run_alone(task.problem, settled.size(), task.threads, make);
  else
    run_together(task.problem, settled.size(), at_once, task.threads, make);
}

// sum += (dF/dp)^T u over the problems listed.
void add_products(const Task& task, std::span<const std::size_t> index, const ProblemGradient& found,
                  std::span<double> sum) {
  std::vector<double> z, u;
  for (const std::size_t i : index) {
    const auto state = task.at.state(i), adjoint = found.adjoint(i);
    z.insert(z.end(), state.begin(), state.end());
    u.insert(u.end(), adjoint.begin(), adjoint.end());
  }
  task.problem.parameter_product(index, z, u, sum);
}

// Calls body(some) for the problems listed, at most `most` at a time.
template <class Body>
void for_pieces(std::span<const std::size_t> index, std::size_t most, const Body& body) {
  for (; !index.empty(); index = index.subspan(std::min(most, index.size())))
    body(index.first(std::min(most, index.size())));
}
// Thousands of rows in a call.
void sum_together(const Task& task, std::span<const std::size_t> used, ProblemGradient& out) {
  for_pieces(used, 4096,
             [&](std::span<const std::size_t> some) { add_products(task, some, out, out.parameters); });
}
// Problem by problem, in pieces that the threads share. The pieces do not depend on the number of threads.
void sum_alone(const Task& task, std::span<const std::size_t> used, ProblemGradient& out) {
  std::vector<std::vector<double>> sums;
  std::vector<std::span<const std::size_t>> pieces;
  for_pieces(used, (used.size() + 15) / 16, [&](std::span<const std::size_t> some) {
    pieces.push_back(some);
    sums.emplace_back(task.problem.parameters, 0.0);
  });
  task.threads.for_each(pieces.size(),
                        [&](std::size_t k, std::size_t) { add_products(task, pieces[k], out, sums[k]); });
  for (const std::vector<double>& sum : sums)
    for (std::size_t p = 0; p < sum.size(); ++p) out.parameters[p] += sum[p];
}
void sum_parameters(const Task& task, ProblemGradient& out) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < out.outcomes.size(); ++i)
    if (out.outcomes[i] == GradientOutcome::used) used.push_back(i);
  out.used = used.size();
  if (!task.problem.parameter_product) return;
  out.parameters.assign(allocatable(task.problem.parameters), 0.0);
  task.calls == Calls::alone ? sum_alone(task, used, out) : sum_together(task, used, out);
}

ProblemGradient differentiate(const Task& task) {
  check(task.problem);
  check_sizes(task), check_options(task);
  ProblemGradient out{.size = task.n()};
  const auto all = [&] {
    const std::size_t count = task.at.size();
    out.adjoints.assign(task.slopes.size(), 0.0);
    out.outcomes.resize(count), out.amplification.resize(count), out.residuals.resize(count);
    solve_adjoints(task, out);
    sum_parameters(task, out);
  };
  within_memory(all, [&] {
    const std::string n = std::to_string(task.n());
    return solved_by_factors(task.problem)
               ? "matrices of " + n + " x " + n + " numbers (transposed_times does without them)"
               : "Krylov vectors of " + n + " numbers";
  });
  return out;
}

}  // namespace

ProblemGradient differentiate(const Problem& problem, const Equilibria<double>& at,
                              std::span<const double> slopes, const AdjointOptions& options,
                              ThreadPool& threads) {
  const BatchProblem rows = in_rows(problem);
  return differentiate(Task{rows, at, slopes, options, Calls::alone, threads});
}
ProblemGradient differentiate(const BatchProblem& problem, const Equilibria<double>& at,
                              std::span<const double> slopes, const AdjointOptions& options,
                              ThreadPool& threads) {
  return differentiate(Task{problem, at, slopes, options, Calls::together, threads});
}
ProblemGradient differentiate(const Problem& problem, const Equilibria<double>& at,
                              std::span<const double> slopes, const AdjointOptions& options) {
  ThreadPool alone(1);
  return differentiate(problem, at, slopes, options, alone);
}
ProblemGradient differentiate(const BatchProblem& problem, const Equilibria<double>& at,
                              std::span<const double> slopes, const AdjointOptions& options) {
  ThreadPool alone(1);
  return differentiate(problem, at, slopes, options, alone);
}

}  // namespace irn
