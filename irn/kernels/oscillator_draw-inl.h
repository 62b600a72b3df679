// From the index of a sample to its parameters, one sample in each lane of double.
//   128 Philox bits  ->  x0, v0 by Box-Muller on two words;  w0 in [1, 2] and d in [0, 2] by one word each
// Everything is in double, so that the mapping stays injective.
#if defined(IRN_KERNELS_OSCILLATOR_DRAW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_KERNELS_OSCILLATOR_DRAW_INL_H_
#undef IRN_KERNELS_OSCILLATOR_DRAW_INL_H_
#else
#define IRN_KERNELS_OSCILLATOR_DRAW_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "irn/kernels/oscillator.h"
#include "irn/kernels/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using hn::Add, hn::Mul, hn::MulAdd, hn::NegMulAdd, hn::Set, hn::Sub;

using D = hn::ScalableTag<double>;
using D64 = hn::ScalableTag<std::uint64_t>;
using V = hn::Vec<D>;
using V64 = hn::Vec<D64>;

struct Draw {
  V x0, v0, w0, d;
};

// The integer in each lane, below 2^52, as a double, minus `less`. With the exponent of 2^52 the integer is
// the mantissa.
HWY_INLINE V Exactly(V64 integer, double less) {
  const D d;
  return Sub(hn::BitCast(d, hn::Or(integer, Set(D64(), 0x4330000000000000u))), Set(d, 0x1p52 + less));
}

// sin and cos for |a| <= pi / 4; the first term left out is below 2^-53 of the result.
HWY_INLINE void SinCos(V a, V& sine, V& cosine) {
  const D d;
  const V y = Mul(a, a);
  V s = Set(d, -1.0 / 1307674368000);
  s = MulAdd(s, y, Set(d, 1.0 / 6227020800));
  s = MulAdd(s, y, Set(d, -1.0 / 39916800));
  s = MulAdd(s, y, Set(d, 1.0 / 362880));
  s = MulAdd(s, y, Set(d, -1.0 / 5040));
  s = MulAdd(s, y, Set(d, 1.0 / 120));
  s = MulAdd(s, y, Set(d, -1.0 / 6));
  sine = MulAdd(Mul(s, y), a, a);
  V c = Set(d, 1.0 / 20922789888000);
  c = MulAdd(c, y, Set(d, -1.0 / 87178291200));
  c = MulAdd(c, y, Set(d, 1.0 / 479001600));
  c = MulAdd(c, y, Set(d, -1.0 / 3628800));
  c = MulAdd(c, y, Set(d, 1.0 / 40320));
  c = MulAdd(c, y, Set(d, -1.0 / 720));
  c = MulAdd(c, y, Set(d, 1.0 / 24));
  c = MulAdd(c, y, Set(d, -0.5));
  cosine = MulAdd(c, y, Set(d, 1.0));
}

// A point on the unit circle: 30 bits place it in a quarter around an axis, at odd multiples of 2^-30 of half
// the quarter, so that no two quarters share a point; one bit chooses the axis, one its direction.
HWY_INLINE void UnitCircle(V64 word, V& x, V& y) {
  const D d;
  const D64 d64;
  const V64 odd = hn::Or(hn::And(hn::ShiftLeft<1>(word), Set(d64, 0x7FFFFFFFu)), Set(d64, 1u));
  V across, along;
  SinCos(Mul(Exactly(odd, 0x1p30), Set(d, 3.14159265358979323846 * 0x1p-32)), across, along);
  along = hn::Xor(along, hn::And(hn::BitCast(d, hn::ShiftLeft<32>(word)), hn::SignBit(d)));
  const auto upright = hn::MaskFromVec(
      hn::BitCast(d, hn::VecFromMask(d64, hn::Ne(hn::And(word, Set(d64, 0x40000000u)), hn::Zero(d64)))));
  x = hn::IfThenElse(upright, across, along);
  y = hn::IfThenElse(upright, along, across);
}

using Block = PhiloxBlock<V64>;

// A sample's counter is its index. The third word keeps these blocks apart from those of other streams.
template <std::size_t kVectors>
HWY_INLINE void Bits(const OscillatorPlan& plan, const std::uint64_t* index, Block (&block)[kVectors]) {
  const D64 d;
  for (std::size_t i = 0; i < kVectors; ++i) {
    const V64 counter = Add(hn::LoadU(d, index + i * hn::MaxLanes(d)), Set(d, plan.first));
    block[i] = {counter, hn::ShiftRight<32>(counter), Set(d, oscillator_stream), hn::Zero(d)};
  }
  Philox(d, block, plan.seed);
}

// Box-Muller. Adjacent words give radii at least 1e-11 apart and angles at least 1e-9 apart (relative), so
// that all 2^64 pairs of words stay distinct in double. w0 and d are linear in their words, so the whole
// mapping is injective.
HWY_INLINE Draw ParametersOf(const OscillatorPlan& plan, const Block& word) {
  const D d;
  const V unit = Set(d, 0x1p-32);
  const V log_u = hn::Log(d, Mul(Exactly(word.c0, -0.5), unit));
  const V radius = Mul(hn::Sqrt(Mul(log_u, Set(d, -2.0))), Set(d, plan.spread));
  V x, v;
  UnitCircle(word.c1, x, v);
  return {Mul(radius, x), Mul(radius, v), MulAdd(Exactly(word.c2, -0.5), unit, Set(d, 1.0)),
          Mul(Exactly(word.c3, -0.5), Set(d, 0x1p-31))};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace irn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
