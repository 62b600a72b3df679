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

// e^-x for |x| <= 80, without the special cases of a library's: -x = k log 2 + r, |r| <= log(2) / 2, e^r by the best
// polynomial of degree 5 that begins with 1 + r (relative error 1.1e-7), 2^k by the exponent bits. Half the instructions of
// hn::Exp. One product takes k log 2 off: it is fused, and log 2 happens to lie within 2e-9 of a float (2e-7 of the result at
// |x| = 80, less nearer to zero).
struct ExpOfMinus {
  template <class D>
    requires(sizeof(hn::TFromD<D>) == 4)
  static HWY_INLINE hn::Vec<D> part(D d, hn::Vec<D> x) {
    const hn::RebindToSigned<D> di;
    const auto one = hn::Set(d, 1.0f), shifter = hn::Set(d, 12582912.0f);  // 1.5 * 2^23: rounds to an integer
    const auto shifted = hn::NegMulAdd(x, hn::Set(d, 1.44269504f), shifter);
    const auto k = hn::Sub(shifted, shifter);
    const auto minus_r = hn::MulAdd(k, hn::Set(d, 0.693147182f), x);
    const auto r2 = hn::Mul(minus_r, minus_r);
    const auto low = hn::Sub(one, minus_r);
    const auto middle = hn::NegMulAdd(minus_r, hn::Set(d, 0.166671157f), hn::Set(d, 0.499992311f));
    const auto high = hn::NegMulAdd(minus_r, hn::Set(d, 0.00831250101f), hn::Set(d, 0.0418903306f));
    const auto e = hn::MulAdd(hn::MulAdd(high, r2, middle), r2, low);
    return hn::BitCast(d, hn::Add(hn::BitCast(di, e), hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
  }
  template <class D>
    requires(sizeof(hn::TFromD<D>) == 8)
  static HWY_INLINE hn::Vec<D> part(D d, hn::Vec<D> x) {
    return hn::Add(hn::Exp(d, hn::Neg(x)), hn::Sub(x, x));  // Exp makes 0 of what is not a number
  }
};
struct TanhPart {
  template <class D>
  static HWY_INLINE hn::Vec<D> part(D d, hn::Vec<D> x) {
    return hn::Tanh(d, x);
  }
};
struct Log1pPart {
  template <class D>
  static HWY_INLINE hn::Vec<D> part(D d, hn::Vec<D> x) {
    return hn::Log1p(d, x);
  }
};
struct Expm1Part {
  template <class D>
  static HWY_INLINE hn::Vec<D> part(D d, hn::Vec<D> x) {
    return hn::Expm1(d, x);
  }
};

// What is not a number should stay none: the processor's min and max give the second of two numbers if one is none, so u comes second.

// Where e^-u is lost beside 1, and e^u would be: nothing that matters lies beyond.
template <class V>
inline constexpr typename V::Scalar exp_limit = sizeof(typename V::Scalar) == 4 ? 80 : 700;

template <class V>
struct Sigmoid {
  static HWY_INLINE V value(V u) {
    const V bounded = max(V(-exp_limit<V>), min(V(exp_limit<V>), u));
    return reciprocal(V(1) + V::template apply<ExpOfMinus>(bounded));
  }
  static HWY_INLINE V slope(V s) { return neg_mul_add(s, s, s); }
};

template <class V>
struct Tanh {
  static HWY_INLINE V value(V u) { return V::template apply<TanhPart>(u); }
  static HWY_INLINE V slope(V s) { return neg_mul_add(s, s, V(1)); }
};

template <class V>
struct Relu {
  static HWY_INLINE V value(V u) { return max(V(), u); }
  static HWY_INLINE V slope(V s) { return select(s > V(), V(1), V()); }
};

template <class V>
struct Softplus {
  // log(1 + e^u) = max(u, 0) + log1p(e^-|u|), which neither overflows nor cancels.
  static HWY_INLINE V value(V u) {
    const V e = V::template apply<ExpOfMinus>(min(V(exp_limit<V>), abs(u)));
    return max(V(), u) + V::template apply<Log1pPart>(e);
  }
  static HWY_INLINE V slope(V s) { return -V::template apply<Expm1Part>(-min(s, V(exp_limit<V>))); }
};

template <class V>
struct Identity {
  static HWY_INLINE V value(V u) { return u; }
  static HWY_INLINE V slope(V) { return V(1); }
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
