// Exactly n steps, whatever becomes of them: the solvers `iterate` and `reversible`.
//   iterate     z <- F(z)
//   reversible  y <- (1 - damping) y + damping F(z),   z <- (1 - damping) z + damping F(y)       (reversible-inl.h)
//
// Groups of lanes go through together, from start to finish. Unlike the solvers of the loop (rounds-inl.h) these judge the last
// state only: at rest it has settled, else it is an iterate, and an answer all the same.
#if defined(IRN_EQUILIBRIUM_ITERATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ITERATE_INL_H_
#undef IRN_EQUILIBRIUM_ITERATE_INL_H_
#else
#define IRN_EQUILIBRIUM_ITERATE_INL_H_
#endif

#include "irn/equilibrium/driver-inl.h"
#include "irn/equilibrium/reversible-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class V>
class PlainIteration {
 public:
  PlainIteration(const Iterate& options, std::size_t n) : steps_(options.steps), z_(n), f_(n) {}

  // see(t, z_t) for t = 0 .. n - 1.
  template <class Map, class See>
  void run(Map& map, std::size_t first, std::size_t count, const See& see) {
    map.load_group(first, count, z_.data(), f_.data());
    begin_ = Distance<V>(z_.data(), f_.data(), z_.size()).residual;
    for (std::size_t t = 0; t < steps_; ++t) {
      see(t, z_.data());
      std::swap(z_, f_);
      map.apply(z_.data(), f_.data());
    }
  }
  template <class Map>
  void run(Map& map, std::size_t first, std::size_t count) {
    run(map, first, count, [](std::size_t, const V*) {});
  }

  const V* state() const { return z_.data(); }
  const V* value() const { return f_.data(); }  // F(state)
  V first_residual() const { return begin_; }
  std::size_t evaluations() const { return steps_ + 1; }

 private:
  std::size_t steps_;
  AlignedBuffer<V> z_, f_;
  V begin_;
};

// Verdicts over the lanes of an iteration that has run.
template <class V, class Iteration>
void judge_last(const Iteration& iteration, std::size_t n, typename V::Scalar tolerance, std::size_t count,
                Verdict* out) {
  const Distance<V> from_rest(iteration.state(), iteration.value(), n);
  // What was no number at first has no answer, even if a later step makes a number of it.
  V highest = iteration.first_residual();
  const V residual = select(is_finite(highest), from_rest.residual, highest);
  const unsigned finite = bits_of<V>(is_finite(residual)),
                 settled = finite & bits_of<V>(has_settled(from_rest, tolerance, highest));
  for (std::size_t lane = 0; lane < count; ++lane)
    out[lane] = {settled >> lane & 1u  ? Outcome::settled
                 : finite >> lane & 1u ? Outcome::iterated
                                       : Outcome::not_finite,
                 static_cast<std::uint32_t>(iteration.evaluations()), double(residual.lane(lane))};
}

template <class V, class Options, class Iteration>
class IteratedDriver {
 public:
  using T = typename V::Scalar;
  IteratedDriver(const Options& options, std::size_t n, T tolerance, std::size_t)
      : n_(n), tolerance_(tolerance), iteration_(options, n) {}

  template <class Map>
  void run(Map& map, std::size_t all, const Answers<T>& answers) {
    for (std::size_t first = 0; first < all; first += V::width) {
      const std::size_t count = std::min(V::width, all - first);
      iteration_.run(map, first, count);
      judge_last<V>(iteration_, n_, tolerance_, count, answers.verdicts + first);
      kernels::transpose(&iteration_.state()[0].lane(0), V::width, n_, count, n_,
                         answers.states + first * n_);
      map.retire(all_lanes<V>);
    }
  }

 private:
  std::size_t n_;
  T tolerance_;
  Iteration iteration_;
};

template <class V>
class Driver<V, Iterate> : public IteratedDriver<V, Iterate, PlainIteration<V>> {
  using IteratedDriver<V, Iterate, PlainIteration<V>>::IteratedDriver;
};
template <class V>
class Driver<V, Reversible> : public IteratedDriver<V, Reversible, ReversibleIteration<V>> {
  using IteratedDriver<V, Reversible, ReversibleIteration<V>>::IteratedDriver;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
