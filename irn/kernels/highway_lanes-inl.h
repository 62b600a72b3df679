// Lanes of Highway's vectors: N lanes with one number for each sample, in one register or in a few.
//
// Everything here acts on each lane by itself, in the same order whatever the other lanes hold, so a sample's
// answer does not depend on its batch. On purpose, there is no sum over lanes in this file. Only mul_add and
// neg_mul_add are fused, if the instruction set can; the compiler is told not to fuse other products.
//
// One of the two kinds of lanes for which the solvers are compiled (lanes-inl.h says what a kind provides).
// Include it before that code and after hwy/foreach_target.h, so that the code is compiled once for each
// target.

// The macros of lanes-inl.h, defined anew for every target.
#undef IRN_LANES_TOGGLE
#ifdef HWY_TARGET_TOGGLE
#define IRN_LANES_TOGGLE
#endif
#ifndef IRN_LANES_BEGIN
#define IRN_LANES HWY_NAMESPACE
#define IRN_LANES_BEGIN   \
  HWY_BEFORE_NAMESPACE(); \
  namespace irn::HWY_NAMESPACE {
#define IRN_LANES_END \
  }                   \
  HWY_AFTER_NAMESPACE();
#define IRN_FN
#define IRN_INLINE HWY_INLINE
#define IRN_NOINLINE HWY_NOINLINE
// Before a loop with a small constant count: unrolls it completely, so that arrays of lanes become registers.
#define IRN_UNROLL _Pragma("GCC unroll 16")
#define IRN_EACH_PART IRN_UNROLL for (std::size_t k = 0; k < parts; ++k)
#endif

#if defined(IRN_KERNELS_HIGHWAY_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_KERNELS_HIGHWAY_LANES_INL_H_
#undef IRN_KERNELS_HIGHWAY_LANES_INL_H_
#else
#define IRN_KERNELS_HIGHWAY_LANES_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <span>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "irn/kernels/rows_to_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The number of lanes in one register of this target.
template <class T>
inline constexpr std::size_t native_lanes = hn::MaxLanes(hn::ScalableTag<T>());
// Half as many, but at least 16 bytes: shorter vectors would take as much memory.
template <class T>
inline constexpr std::size_t half_lanes =
    native_lanes<T> * sizeof(T) > 16 ? native_lanes<T> / 2 : native_lanes<T>;

template <class T, std::size_t N = native_lanes<T>>
struct [[gnu::may_alias]] Lanes {
  using Scalar = T;
  using Size = std::size_t;  // the size of a state is known at run time
  using Tag = hn::CappedTag<T, N>;
  using Vector = hn::Vec<Tag>;
  static constexpr std::size_t width = N;
  static constexpr std::size_t parts = N / hn::MaxLanes(Tag());  // registers

  struct Mask {
    hn::Mask<Tag> m[parts];
    friend HWY_INLINE Mask operator&(Mask a, Mask b) {
      IRN_EACH_PART a.m[k] = hn::And(a.m[k], b.m[k]);
      return a;
    }
    friend HWY_INLINE Mask operator|(Mask a, Mask b) {
      IRN_EACH_PART a.m[k] = hn::Or(a.m[k], b.m[k]);
      return a;
    }
    friend HWY_INLINE Mask and_not(Mask no, Mask yes) {  // yes & ~no
      IRN_EACH_PART yes.m[k] = hn::AndNot(no.m[k], yes.m[k]);
      return yes;
    }
  };

  Vector v[parts];

  HWY_INLINE Lanes() { IRN_EACH_PART v[k] = hn::Zero(Tag()); }
  HWY_INLINE explicit Lanes(T x) { IRN_EACH_PART v[k] = hn::Set(Tag(), x); }  // the same number in every lane

  // The number of one lane, in memory.
  HWY_INLINE T& lane(std::size_t i) { return reinterpret_cast<T*>(this)[i]; }
  HWY_INLINE const T& lane(std::size_t i) const { return reinterpret_cast<const T*>(this)[i]; }

#define IRN_LANEWISE_2(NAME, OP)                   \
  friend HWY_INLINE Lanes NAME(Lanes a, Lanes b) { \
    IRN_EACH_PART a.v[k] = hn::OP(a.v[k], b.v[k]); \
    return a;                                      \
  }
  IRN_LANEWISE_2(operator+, Add)
  IRN_LANEWISE_2(operator-, Sub)
  IRN_LANEWISE_2(operator*, Mul)
  IRN_LANEWISE_2(operator/, Div)
  // The second operand if one is NaN, so that relu hides no NaN. x86's instructions do this; NEON's and the
  // emulation's return the number.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  IRN_LANEWISE_2(max, Max)
  IRN_LANEWISE_2(min, Min)
#else
  friend HWY_INLINE Lanes max(Lanes a, Lanes b) {
    IRN_EACH_PART a.v[k] = hn::IfThenElse(hn::Gt(a.v[k], b.v[k]), a.v[k], b.v[k]);
    return a;
  }
  friend HWY_INLINE Lanes min(Lanes a, Lanes b) {
    IRN_EACH_PART a.v[k] = hn::IfThenElse(hn::Lt(a.v[k], b.v[k]), a.v[k], b.v[k]);
    return a;
  }
#endif
  IRN_LANEWISE_2(copy_sign, CopySign)  // the magnitude of the first, the sign of the second
#undef IRN_LANEWISE_2
#define IRN_LANEWISE_1(NAME, OP)           \
  friend HWY_INLINE Lanes NAME(Lanes a) {  \
    IRN_EACH_PART a.v[k] = hn::OP(a.v[k]); \
    return a;                              \
  }
  IRN_LANEWISE_1(operator-, Neg)
  IRN_LANEWISE_1(abs, Abs)
  IRN_LANEWISE_1(sqrt, Sqrt)
#undef IRN_LANEWISE_1
#define IRN_COMPARE(NAME, OP)                              \
  friend HWY_INLINE Mask operator NAME(Lanes a, Lanes b) { \
    Mask mask;                                             \
    IRN_EACH_PART mask.m[k] = hn::OP(a.v[k], b.v[k]);      \
    return mask;                                           \
  }
  IRN_COMPARE(<, Lt)
  IRN_COMPARE(<=, Le)
  IRN_COMPARE(>, Gt)
#undef IRN_COMPARE
  // ab + c
  friend HWY_INLINE Lanes mul_add(Lanes a, Lanes b, Lanes c) {
    IRN_EACH_PART c.v[k] = hn::MulAdd(a.v[k], b.v[k], c.v[k]);
    return c;
  }
  // c - ab
  friend HWY_INLINE Lanes neg_mul_add(Lanes a, Lanes b, Lanes c) {
    IRN_EACH_PART c.v[k] = hn::NegMulAdd(a.v[k], b.v[k], c.v[k]);
    return c;
  }
  friend HWY_INLINE Lanes select(Mask mask, Lanes yes, Lanes no) {
    IRN_EACH_PART no.v[k] = hn::IfThenElse(mask.m[k], yes.v[k], no.v[k]);
    return no;
  }
  friend HWY_INLINE Mask is_finite(Lanes a) {
    Mask mask;
    IRN_EACH_PART mask.m[k] = hn::IsFinite(a.v[k]);
    return mask;
  }
  // The larger of `size`, which must not be negative, and |x|. Infinity and NaN count as larger than any
  // number, so that a maximum over many does not lose them, as max(a, NaN) could. It compares bits: those of
  // non-negative numbers have the order of the numbers.
  friend HWY_INLINE Lanes larger_size(Lanes size, Lanes x) {
    constexpr hn::RebindToSigned<Tag> bits;
    IRN_EACH_PART size.v[k] =
        hn::BitCast(Tag(), hn::Max(hn::BitCast(bits, size.v[k]), hn::BitCast(bits, hn::Abs(x.v[k]))));
    return size;
  }
  // Applies Function::part(tag, register) to each register.
  template <class Function>
  static HWY_INLINE Lanes apply(Lanes a) {
    IRN_EACH_PART a.v[k] = Function::part(Tag(), a.v[k]);
    return a;
  }
};

// The lanes in use. Large functions are compiled once for each of them, each in one file (product.cpp,
// lu.cpp, network_map.cpp), and declared `extern template` for all others. On targets with registers of 16
// bytes the half lanes are the whole ones.
using Floats = Lanes<float>;
using Doubles = Lanes<double>;
using HalfFloats = Lanes<float, half_lanes<float>>;
using HalfDoubles = Lanes<double, half_lanes<double>>;
#undef IRN_FOR_LANES
#if HWY_MAX_BYTES > 16
#define IRN_FOR_LANES(X) X(Floats) X(Doubles) X(HalfFloats) X(HalfDoubles)
#else
#define IRN_FOR_LANES(X) X(Floats) X(Doubles)
#endif

template <class V>
HWY_INLINE bool none(const typename V::Mask& mask) {
  auto any = mask.m[0];
  for (std::size_t k = 1; k < V::parts; ++k) any = hn::Or(any, mask.m[k]);
  return hn::AllFalse(typename V::Tag(), any);
}
// Masks as bits, one for each lane: those of all lanes; bits_of a mask; mask_of bits.
template <class V>
inline constexpr unsigned all_lanes = ~0u >> (32 - V::width);
template <class V>
HWY_INLINE unsigned bits_of(const typename V::Mask& mask) {
  unsigned all = 0;
  for (std::size_t k = 0; k < V::parts; ++k) {
    unsigned char bytes[8] = {};
    hn::StoreMaskBits(typename V::Tag(), mask.m[k], bytes);
    all |= (unsigned{bytes[0]} | unsigned{bytes[1]} << 8) << (k * V::width / V::parts);
  }
  return all;
}

template <class V>
HWY_INLINE typename V::Mask mask_of(unsigned bits) {
  typename V::Mask mask;
  for (std::size_t k = 0; k < V::parts; ++k) {
    const unsigned part = bits >> (k * V::width / V::parts);
    const unsigned char bytes[8] = {static_cast<unsigned char>(part), static_cast<unsigned char>(part >> 8)};
    mask.m[k] = hn::LoadMaskBits(typename V::Tag(), bytes);
  }
  return mask;
}
// One thread has all unknowns of a state, so what it found over them is already the result over all.
template <class V>
HWY_INLINE V sum_of_all(V here) {
  return here;
}
template <class V>
HWY_INLINE V largest_of_all(V here) {
  return here;
}
template <class V>
HWY_INLINE V of_unknown(const V* state, std::size_t i) {
  return state[i];
}
template <class V>
HWY_INLINE std::size_t unknown(std::size_t i) {
  return i;
}
template <class V>
HWY_INLINE std::size_t unknowns(std::size_t n) {
  return n;
}
// The rows index[0], ... of a matrix with n columns, one in each lane; other lanes become zero.
template <class V>
HWY_INLINE void rows_to_lanes(const typename V::Scalar* rows, std::size_t n,
                              std::span<const std::size_t> index, V* lanes) {
  kernels::rows_to_lanes<typename V::Scalar>(rows, n, index, V::width, &lanes[0].lane(0));
}

// 1 / x to the last bit or two. A division of 16 floats takes as long as ten multiply-adds; the hardware's
// estimate and Newton steps r (2 - x r) take as long as three to five: one step for the 14 bits of AVX-512,
// two for the 12 bits of earlier sets. Zero gives infinity or NaN, as it should.
struct Reciprocal {
  template <class D>
    requires(sizeof(hn::TFromD<D>) == 4)
  static HWY_INLINE hn::Vec<D> part(D d, hn::Vec<D> x) {
    const auto two = hn::Set(d, 2.0f);
    const auto r0 = estimate(d, x);
    const auto r1 = hn::Mul(r0, hn::NegMulAdd(x, r0, two));
#if HWY_TARGET <= HWY_AVX3
    return r1;
#else
    return hn::Mul(r1, hn::NegMulAdd(x, r1, two));
#endif
  }
  template <class D>
    requires(sizeof(hn::TFromD<D>) == 8)
  static HWY_INLINE hn::Vec<D> part(D d, hn::Vec<D> x) {
    return hn::Div(hn::Set(d, 1.0), x);
  }

 private:
  // AVX-512's estimate in 16 lanes differs from AVX's in 8 lanes. A sample's bits must not depend on the
  // number of lanes, so 8 lanes use the estimate for 16, too.
  template <class D>
  static HWY_INLINE hn::Vec<D> estimate(D d, hn::Vec<D> x) {
#if HWY_TARGET <= HWY_AVX3
    if constexpr (hn::MaxLanes(D()) < 16) {
      const hn::Twice<D> twice;
      return hn::LowerHalf(d, estimate(twice, hn::ZeroExtendVector(twice, x)));
    } else {
      return hn::ApproximateReciprocal(x);
    }
#else
    (void)d;
    return hn::ApproximateReciprocal(x);
#endif
  }
};
template <class V>
HWY_INLINE V reciprocal(V x) {
  return V::template apply<Reciprocal>(x);
}

// e^-x for |x| <= 80, without a library's special cases: -x = k log 2 + r with |r| <= log(2) / 2, e^r by the
// best polynomial of degree 5 that begins with 1 + r (relative error 1.1e-7), 2^k by the exponent bits. Takes
// half the instructions of hn::Exp. One product suffices to subtract k log 2: it is fused, and log 2 happens
// to be within 2e-9 of a float (2e-7 of the result at |x| = 80, less nearer to zero).
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
    return hn::Add(hn::Exp(d, hn::Neg(x)), hn::Sub(x, x));  // Exp turns NaN into 0, x - x restores it
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

// x^(1/3) within 5 %, enough for a step length. The bits of a number, read as an integer, approximate its
// logarithm.
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

template <class V>
HWY_INLINE V exp_of_minus(V x) {
  return V::template apply<ExpOfMinus>(x);
}
template <class V>
HWY_INLINE V tanh(V x) {
  return V::template apply<TanhPart>(x);
}
template <class V>
HWY_INLINE V log1p(V x) {
  return V::template apply<Log1pPart>(x);
}
template <class V>
HWY_INLINE V expm1(V x) {
  return V::template apply<Expm1Part>(x);
}
template <class V>
HWY_INLINE V rough_cube_root(V x) {
  return V::template apply<RoughCubeRoot>(x);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
