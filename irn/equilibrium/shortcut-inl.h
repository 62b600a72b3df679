// The rest of the way where the flow only relaxes: Anderson acceleration from where the launch ended.
//
// A step costs one value of F where a linearly implicit step takes a Krylov space, but it does not follow the
// flow. So it is tried only where the launch ended close to rest and with a long step. It is given up if the
// residual rises by a quarter above that of its start, or after 24 steps; the problem then continues along
// the flow from where the launch left it. It cannot tell whether the flow only passes by a saddle; on trained
// networks, tame and wild, as many answers are right with it as without (bench_fidelity --hidden 64 --solver
// rosenbrock-krylov:shortcut=0, and the same with --paper).
#if defined(IRN_EQUILIBRIUM_SHORTCUT_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_SHORTCUT_INL_H_
#undef IRN_EQUILIBRIUM_SHORTCUT_INL_H_
#else
#define IRN_EQUILIBRIUM_SHORTCUT_INL_H_
#endif

#include "irn/equilibrium/anderson-inl.h"
#include "irn/equilibrium/rounds-inl.h"

IRN_LANES_BEGIN

template <class V>
class ShortcutStep : public AndersonStep<V> {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  static constexpr T allowed_rise = T(1.25);  // of the residual, relative to that of the start
  // Not inherited: an inherited one is compiled for the plainest target.
  template <class Memory>
  IRN_FN ShortcutStep(const Anderson& o, Size n, Memory& memory) : AndersonStep<V>(o, n, memory) {}
  IRN_FN void reset(typename V::Mask lanes) {
    AndersonStep<V>::reset(lanes);
    first_ = select(lanes, V(), first_);
  }
  IRN_FN typename V::Mask lost(V residual) {
    first_ = select(first_ > V(), first_, residual);
    return residual > V(allowed_rise) * first_;
  }

 private:
  V first_;  // residual
};

template <class V>
class Shortcut {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  static constexpr T near_residual = T(0.1);  // relative to max(1, |z|)
  // Few columns: more hardly save steps, and every step reads each of them.
  IRN_FN static constexpr Anderson anderson() { return {.memory = 4, .damping = 1, .steps = 24}; }

  template <class Memory>
  IRN_FN Shortcut(double least_step, Size n, const Rules<T>& rules, Memory& memory)
      : least_step_(static_cast<T>(least_step)),
        step_(anderson(), n, memory),
        rounds_(step_, n, rules, anderson().steps, memory) {}

  // The lanes in which it may be tried, given z and f = F(z) after the launch, and the length h of the next
  // step.
  IRN_FN typename V::Mask may_try(const V* z, const V* f, V h, std::size_t n) const {
    V residual, size(T(1));
    for (std::size_t i = 0; i < n; ++i) {
      residual = larger_size(residual, f[i] - z[i]);
      size = max(size, abs(z[i]));
    }
    residual = largest_of_all(residual), size = largest_of_all(size);
    return is_finite(residual) & (residual <= V(near_residual) * size) & (V(least_step_) <= h);
  }
  IRN_FN ShortcutStep<V>& step() { return step_; }
  IRN_FN Rounds<V, ShortcutStep<V>>& rounds() { return rounds_; }

 private:
  T least_step_;
  ShortcutStep<V> step_;
  Rounds<V, ShortcutStep<V>> rounds_;
};

IRN_LANES_END

#endif
