// How large the error of a step along the flow may be, and how long the next step.
//
// It may not exceed `error` max(1, |z|), which keeps the path in the right basin, nor a multiple of the residual: with a bound
// that did not fall with the residual the state would wander about the equilibrium for ever.
#if defined(IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_
#undef IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_
#else
#define IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

// The multiple of the residual, as long as a sample has no reason to be suspected of cycling.
template <class T>
inline constexpr T early_residual_share = T(3);

// By how much to lengthen or shorten a step whose estimate, of third order in it, should be `allowed`.
template <class V>
IRN_INLINE V change_of_step(V allowed, V estimate) {
  using T = typename V::Scalar;
  constexpr T safety = T(0.8), most_growth = T(6), most_shrinkage = T(0.2);
  const V ratio = allowed / max(estimate, allowed * V(T(1e-3)));
  const V factor = V(safety) * rough_cube_root(ratio);
  const V bounded = max(min(factor, V(most_growth)), V(most_shrinkage));
  return select(is_finite(estimate), bounded, V(most_shrinkage));
}

IRN_LANES_END

#endif
