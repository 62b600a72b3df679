// How large the error of a step along the flow may be, and how long the next step.
//
// It may not exceed `error` max(1, |z|), which keeps the path in the right basin, nor a multiple of the residual: with a bound
// that did not fall with the residual the state would wander about the equilibrium for ever.
#if defined(IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_
#undef IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_
#else
#define IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_
#endif

#include "hwy/contrib/math/math-inl.h"
#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// x^(1/3) within 5 %, which is plenty for a step length: the bits of a number, read as an integer, are its logarithm.
struct RoughCubeRoot {
  template <class D>
    requires(sizeof(hn::TFromD<D>) == 4)
  static HWY_INLINE hn::Vec<D> part(D d, hn::Vec<D> x) {
    const hn::RebindToSigned<D> di;
    const auto bits = hn::ConvertTo(d, hn::BitCast(di, x));
    const auto third = hn::MulAdd(bits, hn::Set(d, 1.0f / 3), hn::Set(d, 709965728.0f));
    return hn::BitCast(d, hn::ConvertTo(di, third));
  }
  template <class D>
    requires(sizeof(hn::TFromD<D>) == 8)
  static HWY_INLINE hn::Vec<D> part(D d, hn::Vec<D> x) {
    return hn::Exp(d, hn::Mul(hn::Set(d, 1.0 / 3), hn::Log(d, x)));
  }
};

// The multiple of the residual, as long as a sample has no reason to be suspected of cycling.
template <class T>
inline constexpr T early_residual_share = T(3);

// By how much to lengthen or shorten a step whose estimate, of third order in it, should be `allowed`.
template <class V>
HWY_INLINE V change_of_step(V allowed, V estimate) {
  using T = typename V::Scalar;
  constexpr T safety = T(0.8), most_growth = T(6), most_shrinkage = T(0.2);
  const V ratio = allowed / max(estimate, allowed * V(T(1e-3)));
  const V factor = V(safety) * V::template apply<RoughCubeRoot>(ratio);
  const V bounded = max(min(factor, V(most_growth)), V(most_shrinkage));
  return select(is_finite(estimate), bounded, V(most_shrinkage));
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
