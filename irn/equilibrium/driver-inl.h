// Runs a solver from start to finish: its phases (phases-inl.h), one after the other, over many problems.
#if defined(IRN_EQUILIBRIUM_DRIVER_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_DRIVER_INL_H_
#undef IRN_EQUILIBRIUM_DRIVER_INL_H_
#else
#define IRN_EQUILIBRIUM_DRIVER_INL_H_
#endif

#include "irn/equilibrium/phases-inl.h"
#include "irn/network/lane_map-inl.h"

IRN_LANES_BEGIN

// Where answers are stored: states row-major [problem][n], one verdict for each problem.
template <class T>
struct Answers {
  T* states;
  Verdict* verdicts;
};

template <class V, class Options, LaneMap<V> Map>
  requires(!needs_factors(Options{}) || FactoredMap<Map, V>)
class Driver {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;

  // For maps of n unknowns and at most `most` problems at a time.
  template <class Memory>
  IRN_FN Driver(const Options& options, Size n, const Rules<T>& rules, std::size_t most, Memory& memory)
      : waiting_(memory.template numbers<std::size_t>(most)),
        phases_(Setting<Options, T, Size, Memory>{options, n, rules, most, memory}) {}

  // Solves problems 0 .. count - 1 of the map.
  IRN_FN void run(Map& map, std::size_t count, const Answers<T>& answers);

 private:
  ProblemList waiting_;
  typename SolverOf<V, Options>::Phases::template Of<V, Options> phases_;
};

// Not in the class: there it would be inline, and compiled wherever a driver is used (see drivers-inl.h).
template <class V, class Options, LaneMap<V> Map>
  requires(!needs_factors(Options{}) || FactoredMap<Map, V>)
IRN_FN void Driver<V, Options, Map>::run(Map& map, std::size_t count, const Answers<T>& answers) {
  Search<V> search{count, answers.states, answers.verdicts, waiting_};
  for (std::size_t p = 0; p < count; ++p) search.waiting.add(p);
  phases_.run(map, search);
}

IRN_LANES_END

#endif
