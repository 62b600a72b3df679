// One number a sample: a vector register whose lanes are samples.
//
// Everything here acts on each lane by itself and in the same order whatever the neighbours hold, which is why a
// sample's answer does not depend on the batch it came in. There is no sum over lanes in this file on purpose.
// Products that are to be fused say so (mul_add); the compiler is told not to fuse any other.
#if defined(IRN_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_KERNELS_LANES_INL_H_
#undef IRN_KERNELS_LANES_INL_H_
#else
#define IRN_KERNELS_LANES_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

// Before a loop of a few steps whose count the compiler knows: unrolled whole, so that arrays of Lanes become registers.
#ifndef IRN_UNROLL
#define IRN_UNROLL _Pragma("GCC unroll 16")
#endif

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct Lanes {
  using Tag = hn::ScalableTag<T>;
  using Vector = hn::Vec<Tag>;
  using Mask = hn::Mask<Tag>;
  static constexpr std::size_t width = hn::MaxLanes(Tag());

  Vector v;

  HWY_INLINE Lanes() : v(hn::Zero(Tag())) {}
  HWY_INLINE Lanes(Vector x) : v(x) {}                        // NOLINT: a vector is one
  HWY_INLINE explicit Lanes(T x) : v(hn::Set(Tag(), x)) {}    // the same number in every lane
  static HWY_INLINE Lanes load(const T* p) { return Lanes(hn::Load(Tag(), p)); }
  HWY_INLINE void store(T* p) const { hn::Store(v, Tag(), p); }

  friend HWY_INLINE Lanes operator+(Lanes a, Lanes b) { return hn::Add(a.v, b.v); }
  friend HWY_INLINE Lanes operator-(Lanes a, Lanes b) { return hn::Sub(a.v, b.v); }
  friend HWY_INLINE Lanes operator*(Lanes a, Lanes b) { return hn::Mul(a.v, b.v); }
  friend HWY_INLINE Lanes operator/(Lanes a, Lanes b) { return hn::Div(a.v, b.v); }
  friend HWY_INLINE Lanes operator-(Lanes a) { return hn::Neg(a.v); }
  friend HWY_INLINE Mask operator<(Lanes a, Lanes b) { return hn::Lt(a.v, b.v); }
  friend HWY_INLINE Mask operator<=(Lanes a, Lanes b) { return hn::Le(a.v, b.v); }
  friend HWY_INLINE Mask operator>(Lanes a, Lanes b) { return hn::Gt(a.v, b.v); }
  friend HWY_INLINE Lanes mul_add(Lanes a, Lanes b, Lanes c) { return hn::MulAdd(a.v, b.v, c.v); }        // ab + c
  friend HWY_INLINE Lanes neg_mul_add(Lanes a, Lanes b, Lanes c) { return hn::NegMulAdd(a.v, b.v, c.v); }  // c - ab
  friend HWY_INLINE Lanes max(Lanes a, Lanes b) { return hn::Max(a.v, b.v); }
  friend HWY_INLINE Lanes min(Lanes a, Lanes b) { return hn::Min(a.v, b.v); }
  friend HWY_INLINE Lanes abs(Lanes a) { return hn::Abs(a.v); }
  friend HWY_INLINE Lanes sqrt(Lanes a) { return hn::Sqrt(a.v); }
  friend HWY_INLINE Lanes select(Mask m, Lanes yes, Lanes no) { return hn::IfThenElse(m, yes.v, no.v); }
  friend HWY_INLINE Mask is_finite(Lanes a) { return hn::IsFinite(a.v); }
};

template <class T>
HWY_INLINE bool none(hn::Mask<hn::ScalableTag<T>> mask) {
  return hn::AllFalse(hn::ScalableTag<T>(), mask);
}
// A mask as bits, one a lane.
template <class T>
HWY_INLINE unsigned bits_of(hn::Mask<hn::ScalableTag<T>> mask) {
  HWY_ALIGN unsigned char bytes[8] = {};
  hn::StoreMaskBits(hn::ScalableTag<T>(), mask, bytes);
  return unsigned{bytes[0]} | unsigned{bytes[1]} << 8;
}
// 1 / x to the last bit or two. A division of 16 floats takes as long as ten multiply-adds; the estimate of the
// hardware (12 bits or more) and two Newton steps r (2 - x r) take four cycles. Zero gives infinity or NaN, as it should.
HWY_INLINE Lanes<float> reciprocal(Lanes<float> x) {
  const Lanes<float> two(2.0f);
  const Lanes<float> r0 = hn::ApproximateReciprocal(x.v);
  const Lanes<float> r1 = r0 * neg_mul_add(x, r0, two);
  return r1 * neg_mul_add(x, r1, two);
}
HWY_INLINE Lanes<double> reciprocal(Lanes<double> x) { return Lanes<double>(1.0) / x; }

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
