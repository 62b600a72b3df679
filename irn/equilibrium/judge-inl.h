// The judge of a search: how far a lane is from rest, and what its history says.
//
// A lane is at rest where |F(z) - z| <= tolerance max(1, |z|), both in the maximum norm. Its residuals are kept as peaks over windows of
// 1, 2, 4, ... steps: a slow approach lowers them from window to window, a cycle does not. What all of that comes to is said in one place,
// judged() of outcome.h.
#if defined(IRN_EQUILIBRIUM_JUDGE_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_JUDGE_INL_H_
#undef IRN_EQUILIBRIUM_JUDGE_INL_H_
#else
#define IRN_EQUILIBRIUM_JUDGE_INL_H_
#endif

#include <limits>

#include "irn/equilibrium/outcome.h"
#include "irn/kernels/lanes-inl.h"

IRN_LANES_BEGIN

// How far z is from rest, f being F(z): residual = |f - z|, infinite where it is not a number, to be measured against
// size = max(1, |z|), all in the maximum norm.
template <class V>
struct Distance {
  V residual, size;
  IRN_INLINE Distance(const V* z, const V* f, std::size_t n) : size(typename V::Scalar(1)) {
    for (std::size_t i = 0; i < n; ++i) {
      residual = larger_size(residual, f[i] - z[i]);
      size = max(size, abs(z[i]));
    }
    residual = select(is_finite(residual), residual, V(std::numeric_limits<typename V::Scalar>::infinity()));
  }
};

// The lanes at rest. A state that runs away must not settle by its size alone, nor because it is too large to change. One that is
// large for a reason had large residuals on its way: `highest` of a lane, which this keeps.
template <class V>
IRN_INLINE typename V::Mask has_settled(const Distance<V>& from_rest, typename V::Scalar tolerance,
                                        V& highest) {
  using T = typename V::Scalar;
  constexpr T far = T(100), rounding = std::numeric_limits<T>::epsilon();
  highest = max(highest, from_rest.residual);
  const V size = max(V(T(1)), min(from_rest.size, V(far) * highest));
  return is_finite(from_rest.residual) &
         (max(from_rest.residual, V(rounding) * from_rest.size) <= V(tolerance) * size);
}

template <class V>
class Judge {
 public:
  using T = typename V::Scalar;
  using Mask = typename V::Mask;

  IRN_FN Judge(T tolerance, std::size_t step_limit)
      : tolerance_(tolerance), step_limit_(static_cast<T>(step_limit)) {}

  // These lanes begin; `highest` is theirs to continue where the launch has left it.
  IRN_FN void begin(Mask lanes) {
    age_ = select(lanes, V(), age_);
    window_ = select(lanes, V(T(1)), window_);
    peak_ = select(lanes, V(), peak_);
    previous_peak_ = select(lanes, V(), previous_peak_);
    highest_ = select(lanes, V(), highest_);
  }
  IRN_FN V& highest() { return highest_; }

  // Looks at a round: afterwards residual(), and the lanes that may go on. `leaps`: the step has no residuals on its way.
  template <bool leaps>
  IRN_FN Mask look(const V* z, const V* f, std::size_t n) {
    const Distance<V> from_rest(z, f, n);
    residual_ = from_rest.residual;
    finite_ = is_finite(residual_);
    settled_ = leaps ? finite_ & (residual_ <= V(tolerance_) * from_rest.size)
                     : has_settled(from_rest, tolerance_, highest_);
    return and_not(settled_, finite_ & (age_ < V(step_limit_)));
  }
  IRN_FN const V& residual() const { return residual_; }

  // Of the last look; `bits` are bits_of() its masks, taken once for all lanes.
  struct Bits {
    unsigned settled, finite;
  };
  IRN_FN Bits bits() const { return {bits_of<V>(settled_), bits_of<V>(finite_)}; }
  IRN_FN Verdict verdict(std::size_t lane, const Bits& bits, T evaluations) const {
    const Evidence evidence{.finite = (bits.finite >> lane & 1u) != 0,
                            .at_rest = (bits.settled >> lane & 1u) != 0,
                            .falls = still_falls(lane)};
    return {judged(evidence), static_cast<std::uint32_t>(evaluations), double(residual_.lane(lane))};
  }

  // A step follows.
  IRN_FN void count_step() {
    const Mask full = window_ <= age_;
    previous_peak_ = select(full, peak_, previous_peak_);
    peak_ = select(full, residual_, max(peak_, residual_));
    window_ = select(full, window_ + window_, window_);
    age_ = age_ + V(T(1));
  }

 private:
  // Before a few windows there is nothing to tell.
  IRN_FN bool still_falls(std::size_t lane) const {
    return window_.lane(lane) < T(16) || peak_.lane(lane) < T(0.95) * previous_peak_.lane(lane);
  }

  T tolerance_, step_limit_;
  V residual_, age_, highest_, window_, peak_, previous_peak_;
  Mask settled_, finite_;
};

IRN_LANES_END

#endif
