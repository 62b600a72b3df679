// The driver of every solver over maps of the caller's, compiled here once for each kind of lanes. For fewer
// instruction sets than the networks' drivers: the time is spent in the caller's function, and AVX-512 gives
// the same bits as AVX2.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/equilibrium/problem_solver.cpp"
#ifndef IRN_FEW_TARGETS
#define IRN_FEW_TARGETS
#endif
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/equilibrium/arena.h"
#include "irn/equilibrium/decide.h"
#include "irn/equilibrium/drivers-inl.h"
#include "irn/equilibrium/problem_map-inl.h"
#include "irn/equilibrium/problem_solver.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// Problems of a group if one group runs after the other: enough to fill the lanes, few enough that what is
// stored for each stays in the second-level cache, and such that every thread has several groups.
std::size_t problems_alone(const ProblemTask& task) {
  constexpr std::size_t bytes = 512 * 1024, width = Doubles::width;
  const std::size_t most =
      width * std::clamp<std::size_t>(bytes / sizeof(Doubles) / 4 / task.problem.size, 32, 64);
  if (task.threads.size() == 1) return std::min(task.count, most);
  const std::size_t share = std::max<std::size_t>(task.count / (4 * task.threads.size()), 1);
  return share <= width ? share : std::min(share / width * width, most);
}

// One driver with its memory; it solves one group of problems at a time.
template <class Options>
class Searcher final : public GroupWork {
 public:
  Searcher(const ProblemTask& task, const Options& options, std::size_t group, RowCalls& calls)
      : task_(task),
        group_(group),
        driver_(options, task.problem.size, task.rules, group, arena_),
        map_(task.problem, calls, group, needs_factors(options)) {}

  void run(std::size_t group) override {
    const std::size_t first = group * group_, count = std::min(group_, task_.count - first);
    double* states = task_.states + first * task_.problem.size;
    map_.begin(first, states);
    driver_.run(map_, count, {states, task_.verdicts + first});
    for (std::size_t i = 0; i < count; ++i)
      if (in_doubt(task_.verdicts[first + i])) decide(i, states, task_.verdicts[first + i]);
    for (std::size_t i = 0; i < count; ++i) task_.verdicts[first + i].evaluations = map_.calls(i);
  }
  std::size_t bytes() const { return arena_.bytes() + map_.bytes(); }

 private:
  void decide(std::size_t problem, const double* states, Verdict& verdict) {
    const std::size_t n = task_.problem.size;
    if (n > eigenvalue_limit) return;
    EigenvalueJudge judge(n);
    map_.jacobian_at(problem, states + problem * n, judge.jacobian());
    judge.decide(task_.rules.tolerance, verdict);
  }

  const ProblemTask& task_;
  std::size_t group_;
  Arena<Doubles> arena_;
  Driver<Doubles, Options, ProblemMap> driver_;
  ProblemMap map_;
};

// For the searcher that is made only to measure its memory; it is never asked.
struct NoCalls final : RowCalls {
  Rows room(Ask, std::size_t) override { return {}; }
  const double* answer() override { return nullptr; }
};

template <class Options>
void run_problems(const ProblemTask& task, const Options& options) {
  const bool alone = task.calls == Calls::alone;
  const std::size_t group = alone ? problems_alone(task) : std::min(task.count, Doubles::width);
  const std::size_t groups = (task.count + group - 1) / group;
  const auto make = [&](RowCalls& calls) -> std::unique_ptr<GroupWork> {
    return std::make_unique<Searcher<Options>>(task, options, group, calls);
  };
  if (alone) return run_alone(task.problem, groups, task.threads, make);
  NoCalls no_calls;
  const std::size_t bytes = Searcher<Options>(task, options, group, no_calls).bytes();
  run_together(task.problem, groups, groups_at_once(bytes), task.threads, make);
}

void solve_all_problems(const ProblemTask& task, const Solver& solver) {
  std::visit(
      [&](const auto& options) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(options)>, Auto>) run_problems(task, options);
      },
      solver);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn {

HWY_EXPORT(solve_all_problems);

void solve_problems(const ProblemTask& task, const Solver& solver) {
  HWY_DYNAMIC_DISPATCH(solve_all_problems)(task, solver);
}

}  // namespace irn
#endif
