// A search for one problem at a time, as in a thread of a device: launch, rounds and confirmation in the
// order of the phases (phases-inl.h), with the same launch, step, judge and look, but without lists of
// problems. The search has only local values: if the compiler knows the size of a state and memory.vectors()
// hands out arrays of the thread, all of it may be in registers.
//
// For solvers that launch and know factors (rosenbrock). The results have the bits of Driver.
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

// What the launch leaves beside z and f = F(z); `highest` has one residual for each unknown if the map may
// run away.
template <class V>
struct AfterLaunch {
  V h, evaluations;
  V* highest;
};

// Starts at z, which the map has loaded, with f = F(z).
template <class V, class Options, class Map, class Memory>
IRN_FN void launch_single(Map& map, const Options& options, typename V::Size n,
                          const Rules<typename V::Scalar>& rules, V* z, V* f, AfterLaunch<V>& after,
                          Memory& memory) {
  Launch<V> launch(options, rules, n, memory);
  after.evaluations = V(typename V::Scalar(1)) + launch.run(map, z, f, after.h, after.highest);
}

// Problems one after the other, each from where its launch has left it. The source has take(wanted): whether
// there is a next problem; more(): whether there are any after that; load(begun, z, f, after), which loads
// it; and end(done, verdict, z), which takes the answer; verdict() makes the verdict.
template <class V, class Options, class Map, class Source, class Memory>
IRN_FN void rounds_single(Map& map, const Options& options, typename V::Size n,
                          const Rules<typename V::Scalar>& rules, V* z, V* f, Source& source,
                          Memory& memory) {
  static_assert(V::width == 1);
  using Mask = typename V::Mask;
  using Step = typename SolverOf<V, Options>::Step;
  const Mask all = V() <= V();

  Step step(options, rules, n, memory);
  Judge<V> judge(rules, Step::leaps, n, options.steps - std::min(options.launch, options.steps),
                 step.patience(), memory);
  AfterLaunch<V> after{V(), V(), judge.highest()};
  Mask active = V() < V(), done;
  for (;;) {
    do {  // a problem that is done makes room for the next
      const Mask begun = source.take(and_not(active, all));
      judge.begin(begun);
      source.load(begun, z, f, after);
      step.reset(begun, after.h);
      active = active | begun;
      const Mask open = judge.look(z, f, n);
      done = and_not(open, active);
      source.end(done, [&] { return judge.verdict(0, judge.bits(), after.evaluations.lane(0)); }, z);
      active = active & open;
    } while (!none<V>(done & source.more()));
    if (none<V>(active)) return;
    judge.count_step();
    after.evaluations = after.evaluations + step.move(map, z, f, judge.residual());
    map.apply(z, f);
  }
}

// Whether a settled state attracts, in the lanes `settled`; other lanes only take part.
template <class V, class Map, class Memory>
IRN_FN void confirm_single(Map& map, typename V::Size n, const Rules<typename V::Scalar>& rules, const V* z,
                           typename V::Mask settled, Verdict& verdict, Memory& memory) {
  DenseAttraction<V> attraction(n, memory);
  map.linearise(z, z);
  attraction.begin(z, rules.floor);
  Looked<V> found = attraction.at_first(map);
  if (!none<V>(and_not(found.attracts, settled))) {
    const Looked<V> last = attraction.at_last(map);
    found.repels = and_not(found.attracts, last.repels);
    found.attracts = found.attracts | last.attracts;
  }
  if (!settled.m) return;
  verdict.stability = found.attracts.m ? Stability::attracts
                      : found.repels.m ? Stability::repels
                                       : Stability::undecided;
  verdict.outcome = judged({.at_rest = true, .stability = verdict.stability});
}

// One problem from start to finish, if a thread has its state to itself.
template <class V, class Options, class Map, class Memory>
IRN_FN Verdict search_single(Map& map, const Options& options, typename V::Size n,
                             const Rules<typename V::Scalar>& rules, V* z, V* f, Memory& memory) {
  static_assert(V::width == 1 && V::Share::threads == 1);
  using Step = typename SolverOf<V, Options>::Step;
  const typename V::Mask all = V() <= V();

  Step step(options, rules, n, memory);
  Judge<V> judge(rules, Step::leaps, n, options.steps - std::min(options.launch, options.steps),
                 step.patience(), memory);
  judge.begin(all);
  AfterLaunch<V> after{V(), V(), judge.highest()};
  launch_single<V>(map, options, n, rules, z, f, after, memory);
  step.reset(all, after.h);
  while (!none<V>(judge.look(z, f, n))) {
    judge.count_step();
    after.evaluations = after.evaluations + step.move(map, z, f, judge.residual());
    map.apply(z, f);
  }
  Verdict verdict = judge.verdict(0, judge.bits(), after.evaluations.lane(0));
  if (rules.confirm && verdict.outcome == Outcome::settled)
    confirm_single<V>(map, n, rules, z, all, verdict, memory);
  return verdict;
}

// The same for solvers that only step (rk4).
template <class V, class Options, class Map, class Memory>
IRN_FN Verdict step_single(Map& map, const Options& options, typename V::Size n,
                           const Rules<typename V::Scalar>& rules, V* z, V* f, Memory& memory) {
  static_assert(V::width == 1 && V::Share::threads == 1);
  using T = typename V::Scalar;
  using Step = typename SolverOf<V, Options>::Step;
  Step step(options, n, memory);
  Judge<V> judge(rules, Step::leaps, n, options.steps, step.patience(), memory);
  judge.begin(V() <= V());
  V evaluations(T(1));
  while (!none<V>(judge.look(z, f, n))) {
    judge.count_step();
    evaluations = evaluations + step.move(map, z, f, judge.residual());
    map.apply(z, f);
  }
  Verdict verdict = judge.verdict(0, judge.bits(), evaluations.lane(0));
  if (rules.confirm && verdict.outcome == Outcome::settled)
    confirm_single<V>(map, n, rules, z, V() <= V(), verdict, memory);
  return verdict;
}

IRN_LANES_END

#endif
