// Exactly n steps, whatever their result: the solvers `iterate` and `reversible`.
//   iterate     z <- F(z)
//   reversible  y <- (1 - damping) y + damping F(z),   z <- (1 - damping) z + damping F(y)
//               (reversible-inl.h)
//
// Each group of lanes runs from start to finish at once. Unlike the solvers of the rounds (rounds-inl.h)
// these judge the last state only: at rest it has settled, otherwise it is an iterate, and still an answer.
#if defined(IRN_EQUILIBRIUM_ITERATE_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ITERATE_INL_H_
#undef IRN_EQUILIBRIUM_ITERATE_INL_H_
#else
#define IRN_EQUILIBRIUM_ITERATE_INL_H_
#endif

#include "irn/equilibrium/phases-inl.h"
#include "irn/equilibrium/reversible-inl.h"

IRN_LANES_BEGIN

struct NothingToSee {
  template <class V>
  IRN_FN void operator()(std::size_t, const V*) const {}
};

template <class V>
class PlainIteration {
 public:
  using Size = typename V::Size;
  template <class Memory>
  IRN_FN PlainIteration(const Iterate& options, Size n, Memory& memory)
      : steps_(options.steps),
        n_(n),
        z_(memory.vectors(1, n)),
        f_(memory.vectors(1, n)),
        first_(memory.vectors(1, n)) {}

  // Calls see(t, z_t) for t = 0 .. n - 1.
  template <class Map, class See>
  IRN_FN void run(Map& map, std::size_t first, std::size_t count, const See& see) {
    map.load_group(first, count, z_, f_);
    for (std::size_t i = 0; i < n_; ++i) first_[i] = abs(f_[i] - z_[i]);
    for (std::size_t t = 0; t < steps_; ++t) {
      see(t, z_);
      V* const value = f_;
      f_ = z_, z_ = value;
      map.apply(z_, f_);
    }
  }
  template <class Map>
  IRN_FN void run(Map& map, std::size_t first, std::size_t count) {
    run(map, first, count, NothingToSee());
  }

  IRN_FN const V* state() const { return z_; }
  IRN_FN const V* value() const { return f_; }          // F(state)
  IRN_FN V* first_residuals() const { return first_; }  // |F(z) - z|_i at the start
  IRN_FN std::size_t evaluations() const { return steps_ + 1; }

 private:
  std::size_t steps_;
  [[no_unique_address]] Size n_;
  V *z_, *f_, *first_;
};

// Judges the lanes of an iteration that has run.
template <class V, class Iteration>
IRN_FN void judge_last(const Iteration& iteration, std::size_t n, const Rules<typename V::Scalar>& rules,
                       std::size_t count, Verdict* out) {
  // An unknown that was NaN at first has no answer, even if a later step makes it a number.
  V first;
  for (std::size_t i = 0; i < n; ++i) first = larger_size(first, iteration.first_residuals()[i]);
  const Distance<V> from_rest(iteration.state(), iteration.value(), n, rules, iteration.first_residuals());
  const V residual =
      select(is_finite(first), from_rest.residual, V(std::numeric_limits<typename V::Scalar>::infinity()));
  const unsigned finite = bits_of<V>(is_finite(residual)), settled = finite & bits_of<V>(from_rest.at_rest);
  for (std::size_t lane = 0; lane < count; ++lane)
    out[lane] = {.outcome = judged({.finite = (finite >> lane & 1u) != 0,
                                    .at_rest = (settled >> lane & 1u) != 0,
                                    .asked_for = true}),
                 .evaluations = static_cast<std::uint32_t>(iteration.evaluations()),
                 .residual = double(residual.lane(lane))};
}

// The only phase of these solvers: all problems, a group of lanes at a time.
template <class V, class Options>
class IterationPhase {
 public:
  using T = typename V::Scalar;
  template <class Setting>
  IRN_FN explicit IterationPhase(const Setting& s)
      : n_(s.n), rules_(s.rules), iteration_(s.options, s.n, s.memory) {}

  template <class Map>
  IRN_FN void run(Map& map, Search<V>& search) {
    for (std::size_t first = 0; first < search.count; first += V::width) {
      const std::size_t count = std::min(std::size_t{V::width}, search.count - first);
      iteration_.run(map, first, count);
      judge_last<V>(iteration_, n_, rules_, count, search.verdicts + first);
      for (std::size_t lane = 0; lane < count; ++lane)
        search.answer(lane, first + lane, search.verdicts[first + lane], iteration_.state(), n_);
      map.retire(all_lanes<V>);
    }
  }

 private:
  [[no_unique_address]] typename V::Size n_;
  Rules<T> rules_;
  typename SolverOf<V, Options>::Iteration iteration_;
};

template <class V>
struct SolverOf<V, Iterate> {
  using Iteration = PlainIteration<V>;
  using Phases = InOrder<IterationPhase>;
};
template <class V>
struct SolverOf<V, Reversible> {
  using Iteration = ReversibleIteration<V>;
  using Phases = InOrder<IterationPhase>;
};

IRN_LANES_END

#endif
