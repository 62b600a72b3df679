// A search for one problem in one lane, as a thread of a device makes it: launch, rounds and confirmation in the order of the phases
// (phases-inl.h), with the same launch, step, judge and look, but without lists of problems. The search is nothing but local values: where the size of
// a state is known to the compiler and memory.vectors() hands out arrays of the thread's own, all of it may live in registers.
//
// For solvers that launch and know factors (rosenbrock). What comes out has the bits of Driver.
#if defined(IRN_EQUILIBRIUM_SINGLE_SEARCH_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_SINGLE_SEARCH_INL_H_
#undef IRN_EQUILIBRIUM_SINGLE_SEARCH_INL_H_
#else
#define IRN_EQUILIBRIUM_SINGLE_SEARCH_INL_H_
#endif

#include "irn/equilibrium/attraction-inl.h"
#include "irn/equilibrium/judge-inl.h"
#include "irn/equilibrium/launch-inl.h"

IRN_LANES_BEGIN

// Of a search that ended at rest in z: asks whether the equilibrium attracts.
template <class V, class Map, class Memory>
IRN_FN void confirm_single(Map& map, typename V::Size n, const Rules<typename V::Scalar>& rules, V* z,
                           Memory& memory, Verdict& verdict) {
  if (!rules.confirm || verdict.outcome != Outcome::settled) return;
  DenseAttraction<V> attraction(n, memory);
  map.linearise(z, z);
  attraction.begin(z, rules.floor);
  Looked<V> found = attraction.at_first(map);
  if (none<V>(found.attracts)) found = attraction.at_last(map);
  verdict.stability = none<V>(found.attracts)
                          ? none<V>(found.repels) ? Stability::undecided : Stability::repels
                          : Stability::attracts;
  verdict.outcome = judged({.at_rest = true, .stability = verdict.stability});
}

// From z, which the map has loaded, with f = F(z), to the state in which the search ends.
template <class V, class Options, class Map, class Memory>
IRN_FN Verdict search_single(Map& map, const Options& options, typename V::Size n,
                             const Rules<typename V::Scalar>& rules, V* z, V* f, Memory& memory) {
  static_assert(V::width == 1);
  using T = typename V::Scalar;
  using Mask = typename V::Mask;
  using Step = typename SolverOf<V, Options>::Step;
  const Mask all = V() <= V();

  Step step(options, rules, n, memory);
  Judge<V> judge(rules, Step::leaps, n, options.steps - std::min(options.launch, options.steps),
                 step.patience(), memory);
  V evaluations(T(1)), h;
  judge.begin(all);
  {
    Launch<V> launch(options, rules, n, memory);
    evaluations = evaluations + launch.run(map, z, f, h, judge.highest());
  }
  step.reset(all, h);
  while (!none<V>(judge.look(z, f, n))) {
    judge.count_step();
    evaluations = evaluations + step.move(map, z, f, judge.residual());
    map.apply(z, f);
  }
  Verdict verdict = judge.verdict(0, judge.bits(), evaluations.lane(0));
  confirm_single<V>(map, n, rules, z, memory, verdict);
  return verdict;
}

// The same for solvers that only step (rk4).
template <class V, class Options, class Map, class Memory>
IRN_FN Verdict step_single(Map& map, const Options& options, typename V::Size n,
                           const Rules<typename V::Scalar>& rules, V* z, V* f, Memory& memory) {
  static_assert(V::width == 1);
  using T = typename V::Scalar;
  using Step = typename SolverOf<V, Options>::Step;
  Step step(options, n, memory);
  Judge<V> judge(rules, Step::leaps, n, options.steps, step.patience(), memory);
  V evaluations(T(1));
  judge.begin(V() <= V());
  while (!none<V>(judge.look(z, f, n))) {
    judge.count_step();
    evaluations = evaluations + step.move(map, z, f, judge.residual());
    map.apply(z, f);
  }
  Verdict verdict = judge.verdict(0, judge.bits(), evaluations.lane(0));
  confirm_single<V>(map, n, rules, z, memory, verdict);
  return verdict;
}

IRN_LANES_END

#endif
