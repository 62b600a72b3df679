// Philox4x32-10, one block in each lane of 64 bits (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011): ten rounds of
//   (c0, c1, c2, c3)  ->  (hi(M1 c2) ^ c1 ^ k0,  lo(M1 c2),  hi(M0 c0) ^ c3 ^ k1,  lo(M0 c0))
// A bijection of the 128-bit counter for every key. The caller's index is the counter.
#if defined(IRN_KERNELS_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_KERNELS_PHILOX_INL_H_
#undef IRN_KERNELS_PHILOX_INL_H_
#else
#define IRN_KERNELS_PHILOX_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace irn::kernels {
namespace HWY_NAMESPACE {

// Four 32-bit words, each in the low half of its 64-bit lane. The high halves may hold anything:
// multiplications read only the low half, so masking is done once at the end and not ten times.
template <class V64>
struct PhiloxBlock {
  V64 c0, c1, c2, c3;
};

// The full 64-bit product of the low halves.
template <class D64, class V64 = hwy::HWY_NAMESPACE::Vec<D64>>
HWY_INLINE V64 LowProduct(D64 d, V64 a, std::uint32_t b) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_SCALAR  // its vectors have one lane, whose halves cannot be addressed
  return hn::Mul(hn::And(a, hn::Set(d, std::uint64_t{0xFFFFFFFFu})), hn::Set(d, std::uint64_t{b}));
#else
  const hn::Repartition<std::uint32_t, D64> halves;
  (void)d;
  return hn::MulEven(hn::BitCast(halves, a), hn::Set(halves, b));
#endif
}

template <class D64, class V64 = hwy::HWY_NAMESPACE::Vec<D64>>
HWY_INLINE PhiloxBlock<V64> PhiloxRound(D64 d, const PhiloxBlock<V64>& c, V64 k0, V64 k1) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V64 p0 = LowProduct(d, c.c0, 0xD2511F53u);
  const V64 p1 = LowProduct(d, c.c2, 0xCD9E8D57u);
  return {hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c.c1), k0), p1,
          hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c.c3), k1), p0};
}

// Computes several vectors of blocks in turns: a round is one chain of dependent operations, and a second
// vector uses the waiting time of the first. The bits of 16 oscillators are drawn first, as two vectors of
// eight, instead of each vector with its further work. This makes the whole generator 5 to 7 % faster (Zen 4,
// g++ 12 and clang 19).
template <std::size_t kVectors, class D64, class V64 = hwy::HWY_NAMESPACE::Vec<D64>>
HWY_INLINE void Philox(D64 d, PhiloxBlock<V64> (&c)[kVectors], std::uint64_t key) {
  namespace hn = hwy::HWY_NAMESPACE;
  V64 k0 = hn::Set(d, key);
  V64 k1 = hn::Set(d, key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (PhiloxBlock<V64>& block : c) block = PhiloxRound(d, block, k0, k1);
    k0 = hn::Add(k0, hn::Set(d, std::uint64_t{0x9E3779B9u}));  // the keys' Weyl sequences: golden ratio
    k1 = hn::Add(k1, hn::Set(d, std::uint64_t{0xBB67AE85u}));  // and sqrt(3) - 1
  }
  const V64 low = hn::Set(d, std::uint64_t{0xFFFFFFFFu});
  for (PhiloxBlock<V64>& block : c)
    block = {hn::And(block.c0, low), hn::And(block.c1, low), hn::And(block.c2, low), hn::And(block.c3, low)};
}

}  // namespace HWY_NAMESPACE
}  // namespace irn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
