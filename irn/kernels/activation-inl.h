// f and its slope, lane by lane. The slope is computed from the value of f (see network/activation.h).
#if defined(IRN_KERNELS_ACTIVATION_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_KERNELS_ACTIVATION_INL_H_
#undef IRN_KERNELS_ACTIVATION_INL_H_
#else
#define IRN_KERNELS_ACTIVATION_INL_H_
#endif

#include "irn/kernels/lanes-inl.h"

IRN_LANES_BEGIN

// NaN must stay NaN: min and max return the second operand if one is NaN, so u comes second.

// Beyond this |u|, e^-|u| is lost beside 1.
template <class V>
inline constexpr typename V::Scalar exp_limit = sizeof(typename V::Scalar) == 4 ? 80 : 700;

template <class V>
struct Sigmoid {
  static IRN_INLINE V value(V u) {
    const V bounded = max(V(-exp_limit<V>), min(V(exp_limit<V>), u));
    return reciprocal(V(1) + exp_of_minus(bounded));
  }
  static IRN_INLINE V slope(V s) { return neg_mul_add(s, s, s); }
};

template <class V>
struct Tanh {
  static IRN_INLINE V value(V u) { return tanh(u); }
  static IRN_INLINE V slope(V s) { return neg_mul_add(s, s, V(1)); }
};

template <class V>
struct Relu {
  static IRN_INLINE V value(V u) { return max(V(), u); }
  static IRN_INLINE V slope(V s) { return select(s > V(), V(1), V()); }
};

template <class V>
struct Softplus {
  // log(1 + e^u) = max(u, 0) + log1p(e^-|u|), which neither overflows nor cancels.
  static IRN_INLINE V value(V u) {
    const V e = exp_of_minus(min(V(exp_limit<V>), abs(u)));
    return max(V(), u) + log1p(e);
  }
  static IRN_INLINE V slope(V s) { return -expm1(-min(s, V(exp_limit<V>))); }
};

template <class V>
struct Identity {
  static IRN_INLINE V value(V u) { return u; }
  static IRN_INLINE V slope(V) { return V(1); }
};

IRN_LANES_END

#endif
