// Lanes of one sample: a plain float or double.
//
// One of the two kinds of lanes for which the solvers are compiled (lanes-inl.h says what a kind provides).
// With this kind they can be read, stepped through, compared with the fast kind, and compiled by nvcc for one
// thread of a device. It includes no SIMD header. mul_add and neg_mul_add are always fused.
#ifndef IRN_KERNELS_PLAIN_LANES_INL_H_
#define IRN_KERNELS_PLAIN_LANES_INL_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#undef IRN_LANES_TOGGLE
#define IRN_LANES plain
#define IRN_LANES_BEGIN namespace irn::plain {
#define IRN_LANES_END }
// These precede every function. Code for a device defines them otherwise before it includes this file.
#ifndef IRN_FN
#define IRN_FN
#define IRN_INLINE inline
#define IRN_NOINLINE
#define IRN_UNROLL
#endif
#undef IRN_FOR_LANES
#define IRN_FOR_LANES(X)  // nothing is instantiated in advance

IRN_LANES_BEGIN

// One thread has a whole state. Threads of a device that share a state have another class in place of this
// one, which combines what each of them found over its unknowns (engine/cuda/shared_state-inl.h).
struct Whole {
  static constexpr std::size_t threads = 1;
  template <std::size_t>
  using Some = Whole;
  IRN_INLINE static std::size_t rank() { return 0; }  // of this thread
  IRN_INLINE static bool any(bool here) { return here; }
  template <class T, class Combine>
  IRN_INLINE static T together(T here, const Combine&) {
    return here;
  }
  template <class T>
  IRN_INLINE static T of(T here, std::size_t) {  // the value of the thread with this rank
    return here;
  }
};

// For states of a size known at compile time, StateSize = std::integral_constant<std::size_t, n>.
template <class T, class StateSize = std::size_t, class StateShare = Whole>
struct One {
  using Scalar = T;
  using Size = StateSize;
  using Share = StateShare;
  static constexpr std::size_t width = 1;
  // Lanes for a state of `count` unknowns, which is spread over as many threads if threads share states.
  template <std::size_t count>
  using Spread = One<T, std::integral_constant<std::size_t, count / Share::template Some<count>::threads>,
                     typename Share::template Some<count>>;

  struct Mask {
    bool m;
    friend IRN_INLINE Mask operator&(Mask a, Mask b) { return {a.m && b.m}; }
    friend IRN_INLINE Mask operator|(Mask a, Mask b) { return {a.m || b.m}; }
    friend IRN_INLINE Mask and_not(Mask no, Mask yes) { return {yes.m && !no.m}; }
  };

  T v;

  IRN_INLINE One() : v(0) {}
  IRN_INLINE explicit One(T x) : v(x) {}
  IRN_INLINE T& lane(std::size_t) { return v; }
  IRN_INLINE const T& lane(std::size_t) const { return v; }

  friend IRN_INLINE One operator+(One a, One b) { return One(a.v + b.v); }
  friend IRN_INLINE One operator-(One a, One b) { return One(a.v - b.v); }
  friend IRN_INLINE One operator*(One a, One b) { return One(a.v * b.v); }
  friend IRN_INLINE One operator/(One a, One b) { return One(a.v / b.v); }
  friend IRN_INLINE One operator-(One a) { return One(-a.v); }
  // The second operand if one is NaN, as with the processor's min and max.
  friend IRN_INLINE One max(One a, One b) { return a.v > b.v ? a : b; }
  friend IRN_INLINE One min(One a, One b) { return a.v < b.v ? a : b; }
  friend IRN_INLINE One copy_sign(One size, One sign) { return One(std::copysign(size.v, sign.v)); }
  friend IRN_INLINE One abs(One a) { return One(std::abs(a.v)); }
  friend IRN_INLINE One sqrt(One a) { return One(std::sqrt(a.v)); }
  friend IRN_INLINE Mask operator<(One a, One b) { return {a.v < b.v}; }
  friend IRN_INLINE Mask operator<=(One a, One b) { return {a.v <= b.v}; }
  friend IRN_INLINE Mask operator>(One a, One b) { return {a.v > b.v}; }
  friend IRN_INLINE One mul_add(One a, One b, One c) { return One(std::fma(a.v, b.v, c.v)); }       // ab + c
  friend IRN_INLINE One neg_mul_add(One a, One b, One c) { return One(std::fma(-a.v, b.v, c.v)); }  // c - ab
  friend IRN_INLINE One select(Mask mask, One yes, One no) { return mask.m ? yes : no; }
  friend IRN_INLINE Mask is_finite(One a) { return {std::abs(a.v) <= std::numeric_limits<T>::max()}; }
  // The larger of `size` and |x|; infinity and NaN count as larger than any number.
  friend IRN_INLINE One larger_size(One size, One x) {
    const T candidate = std::abs(x.v);
    const bool keep = size.v != size.v || candidate <= size.v;  // NaN <= anything is false
    return keep ? size : One(candidate);
  }

  // The result over all unknowns of a state, from that over the unknowns here.
  friend IRN_INLINE One sum_of_all(One here) {
    return Share::together(here, [](One a, One b) { return a + b; });
  }
  friend IRN_INLINE One largest_of_all(One here) {  // of non-negative numbers
    return Share::together(here, [](One a, One b) { return larger_size(a, b); });
  }

  friend IRN_INLINE One reciprocal(One x) { return One(T(1) / x.v); }
  friend IRN_INLINE One exp_of_minus(One x) { return One(std::exp(-x.v)); }
  friend IRN_INLINE One tanh(One x) { return One(std::tanh(x.v)); }
  friend IRN_INLINE One log1p(One x) { return One(std::log1p(x.v)); }
  friend IRN_INLINE One expm1(One x) { return One(std::expm1(x.v)); }
  friend IRN_INLINE One rough_cube_root(One x) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) == sizeof(float)) return One(__powf(x.v, T(1) / 3));  // in three instructions
#endif
    return One(std::cbrt(x.v));
  }
};

template <class V>
inline constexpr unsigned all_lanes = 1u;
template <class V>
IRN_INLINE bool none(const typename V::Mask& mask) {
  return !V::Share::any(mask.m);
}
template <class V>
IRN_INLINE V of_unknown(const V* state, std::size_t i) {
  return V::Share::of(state[i / V::Share::threads], i % V::Share::threads);
}
// The number in its state of unknown i here; and the size of a state of which n unknowns are here.
template <class V>
IRN_INLINE std::size_t unknown(std::size_t i) {
  return i * V::Share::threads + V::Share::rank();
}
template <class V>
IRN_INLINE std::size_t unknowns(std::size_t n) {
  return n * V::Share::threads;
}
template <class V>
IRN_INLINE unsigned bits_of(const typename V::Mask& mask) {
  return mask.m ? 1u : 0u;
}
template <class V>
IRN_INLINE typename V::Mask mask_of(unsigned bits) {
  return {(bits & 1u) != 0};
}

template <class V>
IRN_INLINE void rows_to_lanes(const typename V::Scalar* rows, std::size_t n,
                              std::span<const std::size_t> index, V* lanes) {
  for (std::size_t i = 0; i < n; ++i) lanes[i] = index.empty() ? V() : V(rows[index[0] * n + i]);
}

IRN_LANES_END

#endif
