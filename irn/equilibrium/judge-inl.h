// The judge of a search: whether a lane is at rest, and what its history shows.
//
// A lane is at rest if each unknown is, |F(z) - z|_i <= tolerance max(floor, |z_i|). Residuals are kept as
// peaks over windows of 1, 2, 4, ... steps: a slow approach lowers them from window to window, a cycle does
// not. The outcome follows in one place, judged() of outcome.h.
#if defined(IRN_EQUILIBRIUM_JUDGE_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_JUDGE_INL_H_
#undef IRN_EQUILIBRIUM_JUDGE_INL_H_
#else
#define IRN_EQUILIBRIUM_JUDGE_INL_H_
#endif

#include <cmath>
#include <limits>

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/rules.h"
#include "irn/kernels/lanes-inl.h"

IRN_LANES_BEGIN

// For how many of the n unknowns the highest residuals are kept: all if the map may run away.
template <class T>
IRN_INLINE std::size_t remembered(const Rules<T>& rules, std::size_t n) {
  return rules.bounded ? 0 : n;
}

// How far z is from rest, where f is F(z): residual = max_i |f - z|_i, infinite if it is NaN; size =
// max(floor, |z|); and which lanes are at rest, in every unknown, as far as the rounding of the largest
// allows.
//
// A state that runs away must not settle by its size, nor because it is too large to change. An unknown that
// is large for a reason had large residuals on its way: `highest` keeps one for each, or none if the map is
// bounded.
template <class V>
struct Distance {
  using T = typename V::Scalar;
  V residual, size;
  V astray;  // above zero if an unknown is larger than its residuals explain
  typename V::Mask at_rest;

  IRN_INLINE Distance(const V* z, const V* f, std::size_t n, const Rules<T>& rules, V* highest)
      : size(rules.floor) {
    rules.bounded ? measure<false>(z, f, n, rules, highest) : measure<true>(z, f, n, rules, highest);
  }

 private:
  template <bool may_run_away>
  IRN_INLINE void measure(const V* z, const V* f, std::size_t n, const Rules<T>& rules, V* highest) {
    constexpr T far = T(100), rounding = std::numeric_limits<T>::epsilon();
    const V floor(rules.floor), tolerance(rules.tolerance);
    V moving, largest;  // moving: the largest residual of the unknowns that are not at rest
    for (std::size_t i = 0; i < n; ++i) {
      V g = abs(f[i] - z[i]), own = abs(z[i]);
      residual = larger_size(residual, g);
      size = max(size, own);
      if constexpr (may_run_away) {
        highest[i] = max(highest[i], g);
        g = max(g, V(rounding) * own);
        astray = max(astray, own - max(floor, V(far) * highest[i]));
        own = min(own, V(far) * highest[i]);
      }
      largest = max(largest, own);
      moving = select(g <= tolerance * max(floor, own), moving, max(moving, g));
    }
    residual = largest_of_all(residual), size = largest_of_all(size);
    moving = largest_of_all(moving), largest = largest_of_all(largest);
    if constexpr (may_run_away) astray = largest_of_all(astray);
    const auto finite = is_finite(residual);
    residual = select(finite, residual, V(std::numeric_limits<T>::infinity()));
    at_rest = finite & (moving <= V(T(16) * rounding) * largest);
  }
};

template <class V>
class Judge {
 public:
  using T = typename V::Scalar;
  using Mask = typename V::Mask;

  // `leaps`: a step may go the whole way, so there are no residuals on it to remember.
  template <class Memory>
  IRN_FN Judge(const Rules<T>& rules, bool leaps, std::size_t n, std::size_t step_limit, std::size_t patience,
               Memory& memory)
      : rules_{rules.tolerance, rules.floor, rules.confirm, rules.bounded || leaps},
        step_limit_(static_cast<T>(step_limit)),
        patience_(static_cast<T>(patience)),
        bounded_(rules.bounded),
        remembered_(remembered(rules_, n)),
        highest_(memory.vectors(1, remembered_)) {}

  // These lanes begin. The caller then fills `highest` if the launch has left residuals.
  IRN_FN void begin(Mask lanes) {
    age_ = select(lanes, V(), age_);
    window_ = select(lanes, V(T(1)), window_);
    peak_ = select(lanes, V(), peak_);
    previous_peak_ = select(lanes, V(), previous_peak_);
    for (std::size_t i = 0; i < remembered_; ++i) highest_[i] = select(lanes, V(), highest_[i]);
  }
  IRN_FN V* highest() { return highest_; }

  // Looks at a round: sets residual(), and returns the lanes that may continue.
  IRN_FN Mask look(const V* z, const V* f, std::size_t n) {
    const Distance<V> from_rest(z, f, n, rules_, highest_);
    residual_ = from_rest.residual;
    size_ = from_rest.size;
    astray_ = from_rest.astray;
    finite_ = is_finite(residual_);
    settled_ = from_rest.at_rest;
    const Mask in_vain = (V(patience_) <= age_) & (window_ <= age_) & (V(falling) * previous_peak_ <= peak_);
    return and_not(settled_ | in_vain, finite_ & (age_ < V(step_limit_)));
  }
  IRN_FN const V& residual() const { return residual_; }

  // The verdict of the last look; `bits` are the bits_of() its masks, taken once for all lanes.
  struct Bits {
    unsigned settled, finite;
  };
  IRN_FN Bits bits() const { return {bits_of<V>(settled_), bits_of<V>(finite_)}; }
  IRN_FN Verdict verdict(std::size_t lane, const Bits& bits, T evaluations) const {
    const Evidence evidence{.finite = (bits.finite >> lane & 1u) != 0,
                            .at_rest = (bits.settled >> lane & 1u) != 0,
                            .trend = trend(lane)};
    const Outcome outcome = judged(evidence);
    return {.outcome = outcome,
            .evaluations = static_cast<std::uint32_t>(evaluations),
            .residual = double(residual_.lane(lane)),
            .more_steps = outcome == Outcome::slow ? more_steps(lane) : 0};
  }

  // Counts a step that follows.
  IRN_FN void count_step() {
    const Mask full = window_ <= age_;
    previous_peak_ = select(full, peak_, previous_peak_);
    peak_ = select(full, residual_, max(peak_, residual_));
    window_ = select(full, window_ + window_, window_);
    age_ = age_ + V(T(1));
  }

 private:
  static constexpr T falling = T(0.95), growing = T(1.5),
                     immense = T(1) / (std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon());

  // During the first windows nothing can be told. A state runs away if its residual grows, or if its
  // residuals do not explain its size. Otherwise it cycles, as it always does if the map is bounded, since it
  // cannot leave then.
  IRN_FN Trend trend(std::size_t lane) const {
    if (window_.lane(lane) < T(16)) return Trend::unknown;
    const T peak = peak_.lane(lane), previous = previous_peak_.lane(lane);
    if (peak < falling * previous) return Trend::falls;
    const bool grows = peak > growing * previous || astray_.lane(lane) > T(0) || size_.lane(lane) > immense;
    return grows && !bounded_ ? Trend::grows : Trend::stays;
  }
  // A falling residual is highest where a window begins, so the ratio of two peaks belongs to the steps of
  // the older window.
  IRN_FN std::uint32_t more_steps(std::size_t lane) const {
    const double a_window = std::log(double(previous_peak_.lane(lane)) / double(peak_.lane(lane))),
                 to_go = std::log(double(residual_.lane(lane)) / double(rules_.tolerance * rules_.floor));
    const double steps = to_go / a_window * double(window_.lane(lane)) / 4;
    return steps < 4e9 ? static_cast<std::uint32_t>(steps < 1 ? 1 : steps) : 4000000000u;
  }

  Rules<T> rules_;
  T step_limit_, patience_;
  bool bounded_;  // the map, whatever its steps
  std::size_t remembered_;
  V residual_, size_, astray_, age_, window_, peak_, previous_peak_;
  V* highest_;
  Mask settled_, finite_;
};

IRN_LANES_END

#endif
