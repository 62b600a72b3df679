// f and its slope, lane by lane. The slope is computed from the value of f (see network/activation.h).
#if defined(IRN_KERNELS_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_KERNELS_ACTIVATION_INL_H_
#undef IRN_KERNELS_ACTIVATION_INL_H_
#else
#define IRN_KERNELS_ACTIVATION_INL_H_
#endif

#include "hwy/contrib/math/math-inl.h"
#include "irn/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class T>
struct Sigmoid {
  // Clamped where e^-u would leave the range of Exp; 1 / (1 + e^-u) is 0 or 1 to the last bit long before.
  static HWY_INLINE Lanes<T> value(Lanes<T> u) {
    const T limit = sizeof(T) == 4 ? T(80) : T(700);
    const Lanes<T> bounded = max(min(u, Lanes<T>(limit)), Lanes<T>(-limit));
    const Lanes<T> e = hn::Exp(typename Lanes<T>::Tag(), (-bounded).v);
    return Lanes<T>(T(1)) / (Lanes<T>(T(1)) + e);
  }
  static HWY_INLINE Lanes<T> slope(Lanes<T> s) { return neg_mul_add(s, s, s); }
};

template <class T>
struct Tanh {
  static HWY_INLINE Lanes<T> value(Lanes<T> u) { return hn::Tanh(typename Lanes<T>::Tag(), u.v); }
  static HWY_INLINE Lanes<T> slope(Lanes<T> s) { return neg_mul_add(s, s, Lanes<T>(T(1))); }
};

template <class T>
struct Relu {
  static HWY_INLINE Lanes<T> value(Lanes<T> u) { return max(u, Lanes<T>()); }
  static HWY_INLINE Lanes<T> slope(Lanes<T> s) { return select(s > Lanes<T>(), Lanes<T>(T(1)), Lanes<T>()); }
};

template <class T>
struct Softplus {
  // log(1 + e^u) = max(u, 0) + log1p(e^-|u|), which neither overflows nor cancels.
  static HWY_INLINE Lanes<T> value(Lanes<T> u) {
    const T limit = sizeof(T) == 4 ? T(80) : T(700);
    const Lanes<T> e = hn::Exp(typename Lanes<T>::Tag(), (-min(abs(u), Lanes<T>(limit))).v);
    return max(u, Lanes<T>()) + Lanes<T>(hn::Log1p(typename Lanes<T>::Tag(), e.v));
  }
  static HWY_INLINE Lanes<T> slope(Lanes<T> s) {
    const T limit = sizeof(T) == 4 ? T(80) : T(700);
    return -Lanes<T>(hn::Expm1(typename Lanes<T>::Tag(), (-min(s, Lanes<T>(limit))).v));
  }
};

template <class T>
struct Identity {
  static HWY_INLINE Lanes<T> value(Lanes<T> u) { return u; }
  static HWY_INLINE Lanes<T> slope(Lanes<T>) { return Lanes<T>(T(1)); }
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
