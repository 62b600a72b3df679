// The driver of every solver over maps of the caller's, compiled here once a kind of lanes. For fewer instruction sets than the
// networks': the caller's function takes the time, and AVX-512 gives the same bits as AVX2 does.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/equilibrium/problem_solver.cpp"
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#endif
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/equilibrium/arena.h"
#include "irn/equilibrium/drivers-inl.h"
#include "irn/equilibrium/problem_map-inl.h"
#include "irn/equilibrium/problem_solver.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// Problems at a time: enough to keep the lanes filled, few enough that what is kept of each stays in the second-level cache.
std::size_t problems_at_once(std::size_t count, std::size_t n) {
  constexpr std::size_t bytes = 512 * 1024;
  return std::min(count, Doubles::width * std::clamp<std::size_t>(bytes / sizeof(Doubles) / 4 / n, 32, 64));
}

template <class Options>
void run_problems(const Problem& problem, std::size_t count, const Options& options, double tolerance,
                  double* states, Verdict* verdicts) {
  const std::size_t n = problem.size, capacity = problems_at_once(count, n);
  Arena<Doubles> arena;
  Driver<Doubles, Options, ProblemMap> driver(options, n, tolerance, capacity, arena);
  for (std::size_t first = 0; first < count; first += capacity) {
    const std::size_t some = std::min(capacity, count - first);
    ProblemMap map(problem, first, some, needs_factors(options));
    driver.run(map, some, {states + first * n, verdicts + first});
    for (std::size_t i = 0; i < some; ++i) verdicts[first + i].evaluations = map.calls(i);
  }
}

void solve_all_problems(const Problem& problem, std::size_t count, const Solver& solver, double tolerance,
                        double* states, Verdict* verdicts) {
  std::visit(
      [&](const auto& options) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(options)>, Auto>)
          run_problems(problem, count, options, tolerance, states, verdicts);
      },
      solver);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn {

HWY_EXPORT(solve_all_problems);

void solve_problems(const Problem& problem, std::size_t count, const Solver& solver, double tolerance,
                    double* states, Verdict* verdicts) {
  HWY_DYNAMIC_DISPATCH(solve_all_problems)(problem, count, solver, tolerance, states, verdicts);
}

}  // namespace irn
#endif
