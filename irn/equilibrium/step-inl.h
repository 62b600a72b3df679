// What the steps of all solvers share: algebra on states, which are n sets of lanes V.
//
// A solver is its options, one step, and the names of its phases (phases-inl.h); the rounds (rounds-inl.h)
// run the step and judge. A step is a class with
//
//   Step(const Options&, V::Size n, Memory&)
//                                      memory.vectors(count, n) hands out its vectors, one number for each
//                                      unknown, for good, and memory.scalars(count) numbers of the state as a
//                                      whole; a step that controls its error takes (options, rules, n,
//                                      memory)
//   void restart()                     every lane will begin anew
//   bool open()                        whether a lane may begin anew beside older ones
//   void reset(Mask lanes)             these lanes begin anew; in a solver that launches: reset(lanes, h),
//                                      where h is the length of the next step
//   Mask lost(V residual)              optional, once a round: the lanes to give up
//   V move(Map&, V* z, const V* f, V residual)
//                                      moves z, where f = F(z); returns the evaluations spent, lane by lane
//   static constexpr bool leaps        whether one step may go the whole way, so that there are no residuals
//                                      on it
//   std::size_t patience()             after this many steps a search ends if its residual no longer falls
//                                      from one window to the next (judge-inl.h)
// and SolverOf<V, Options> names it.
#if defined(IRN_EQUILIBRIUM_STEP_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_STEP_INL_H_
#undef IRN_EQUILIBRIUM_STEP_INL_H_
#else
#define IRN_EQUILIBRIUM_STEP_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "irn/equilibrium/solver.h"
#include "irn/kernels/lanes-inl.h"

IRN_LANES_BEGIN

// The step and the phases that belong to options: specialised beside each step.
template <class V, class Options>
struct SolverOf;

template <template <class V, class Options> class... Phase>
struct InOrder;
template <class V, class Options>
class LaunchPhase;
template <class V, class Options>
class ShortcutPhase;
template <class V, class Options>
class StepsPhase;
template <class V, class Options>
class ConfirmationPhase;

// The defaults of steps: they do not leap, their patience has no limit, and they keep nothing of a lane.
struct StepDefaults {
  static constexpr bool leaps = false;
  IRN_FN static std::size_t patience() { return std::numeric_limits<std::size_t>::max(); }
  template <class Mask>
  IRN_FN static void reset(const Mask&) {}
};
// The base of steps whose lanes may be of any age.
struct AnyAge : StepDefaults {
  IRN_FN static void restart() {}
  IRN_FN static constexpr bool open() { return true; }
};

template <class V>
IRN_INLINE V dot(const V* a, const V* b, std::size_t n) {
  V sum[4];  // side by side: each addition waits for the one before it
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) IRN_UNROLL
  for (std::size_t r = 0; r < 4; ++r) sum[r] = mul_add(a[i + r], b[i + r], sum[r]);
  for (; i < n; ++i) sum[0] = mul_add(a[i], b[i], sum[0]);
  return sum_of_all((sum[0] + sum[1]) + (sum[2] + sum[3]));
}
// y += s x
template <class V>
IRN_INLINE void add_scaled(V* y, V s, const V* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = mul_add(s, x[i], y[i]);
}
// to = from
template <class V>
IRN_INLINE void copy(const V* from, std::size_t n, V* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
}
// g = f - z, the right side of the flow
template <class V>
IRN_INLINE void flow(const V* z, const V* f, V* g, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) g[i] = f[i] - z[i];
}

IRN_LANES_END

#endif
