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

// e^x for |x| <= 80, without the special cases of a library's: x = k log 2 + r, |r| <= log(2) / 2, e^r by a polynomial of
// degree 6 (relative error below 1e-7), 2^k by the exponent bits. Half the instructions of hn::Exp.
HWY_INLINE Lanes<float> exp_bounded(Lanes<float> x) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const Lanes<float> shifter(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer in the low bits
  const Lanes<float> shifted = mul_add(x, Lanes<float>(1.44269504f), shifter);
  const Lanes<float> k = shifted - shifter;
  const Lanes<float> r = mul_add(k, Lanes<float>(1.42860677e-6f), mul_add(k, Lanes<float>(-0.693148613f), x));
  const Lanes<float> r2 = r * r;
  const Lanes<float> low = mul_add(r, Lanes<float>(1.0f), Lanes<float>(1.0f));
  const Lanes<float> middle = mul_add(r, Lanes<float>(0.166666672f), Lanes<float>(0.5f));
  const Lanes<float> high = mul_add(mul_add(r, Lanes<float>(0.00139f), Lanes<float>(0.00836f)), r, Lanes<float>(0.0416666f));
  const Lanes<float> e = mul_add(mul_add(high, r2, middle), r2, low);
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted.v));
  return Lanes<float>(hn::BitCast(d, hn::Add(hn::BitCast(di, e.v), exponent)));
}
HWY_INLINE Lanes<double> exp_bounded(Lanes<double> x) { return hn::Exp(hn::ScalableTag<double>(), x.v); }

template <class T>
struct Sigmoid {
  // Clamped to where 1 + e^-u is 1, or 1 / (1 + e^-u) no longer matters: below 2e-35 in float.
  static HWY_INLINE Lanes<T> value(Lanes<T> u) {
    const T limit = sizeof(T) == 4 ? T(80) : T(700);
    const Lanes<T> bounded = max(min(u, Lanes<T>(limit)), Lanes<T>(-limit));
    return reciprocal(Lanes<T>(T(1)) + exp_bounded(-bounded));
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
