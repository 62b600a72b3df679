// What a kind of lanes provides to solvers and kernels, and helpers for all kinds.
//
// The code of solvers and kernels (every *-inl.h of irn/equilibrium, the network's map, factors, products,
// activations) is algebra on a type V, with one sample's number in each of its lanes. A file that compiles it
// includes a kind of lanes first:
//   highway_lanes-inl.h   vector registers, compiled for each instruction set
//   plain_lanes-inl.h     one sample, a float or a double: the readable reference, and one thread of a device
//
// A kind defines IRN_LANES_BEGIN and IRN_LANES_END, which open and close its namespace; IRN_LANES, the name
// of this namespace; IRN_FN and IRN_INLINE, which precede every function; and the type V with
//   V::Scalar, V::Mask, V::width (lanes), V::Size (of a state: std::size_t, or a compile-time constant)
//   V(), V(x), v.lane(k), + - * / -v, < <= >, abs, sqrt, min, max, copy_sign, mul_add, neg_mul_add, select,
//   is_finite, larger_size
//   masks: &, |, and_not, none<V>, bits_of<V>, mask_of<V>, all_lanes<V>
//   sum_of_all, largest_of_all: combine what loops found over the n unknowns here to the result over all
//   unknowns of a state. Unknown i < n here is number unknown<V>(i) of unknowns<V>(n) in all;
//   of_unknown(state, i) is number i of all. Lanes of a processor have all unknowns; threads of a device may
//   share a state (engine/cuda/shared_state-inl.h)
//   rows_to_lanes; reciprocal, exp_of_minus, tanh, log1p, expm1, rough_cube_root
// No lane's results may depend on other lanes.
#ifndef IRN_LANES_BEGIN
#error \
    "include a kind of lanes before the text that computes with them: irn/kernels/highway_lanes-inl.h or plain_lanes-inl.h"
#endif
#if defined(IRN_KERNELS_LANES_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_KERNELS_LANES_INL_H_
#undef IRN_KERNELS_LANES_INL_H_
#else
#define IRN_KERNELS_LANES_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <span>

#include "irn/kernels/placed.h"

IRN_LANES_BEGIN

// The lowest lane whose bit is set; there must be one. (For a device, nvcc 13 silently compiles
// std::countr_zero into the constant 32, and std::copy_n into nothing. So test functions of the standard
// library on a device before using them here, except plain arithmetic.)
IRN_INLINE std::size_t lowest_lane(unsigned bits) {
#ifdef __CUDA_ARCH__
  return static_cast<std::size_t>(__ffs(static_cast<int>(bits)) - 1);
#else
  return static_cast<std::size_t>(std::countr_zero(bits));
#endif
}
// Calls body(lane) for every lane whose bit is set, in ascending order.
template <class Body>
IRN_INLINE void for_lanes(unsigned bits, const Body& body) {
  for (; bits != 0; bits &= bits - 1) body(lowest_lane(bits));
}

// Copies n kept numbers of each of R problems into the lanes where they are placed: those of problem p are in
// lane p % width of kept[p / width * stride], and so on. Writes whole vectors, because a vector load waits
// for single numbers stored into it just before; and R problems at once, because such a store takes as long
// as two loads.
template <class V, std::size_t R>
IRN_INLINE void copy_some_lanes(const V* kept, std::size_t stride, const Placed* placed, V* to,
                                std::size_t n) {
  const typename V::Scalar* from[R];
  typename V::Mask mask[R];
  for (std::size_t r = 0; r < R; ++r) {
    from[r] = &kept[placed[r].problem / V::width * stride].lane(placed[r].problem % V::width);
    mask[r] = mask_of<V>(1u << placed[r].lane);
  }
  for (std::size_t i = 0; i < n; ++i) {
    V value = to[i];
    IRN_UNROLL
    for (std::size_t r = 0; r < R; ++r) value = select(mask[r], V(from[r][i * V::width]), value);
    to[i] = value;
  }
}
template <class V>
IRN_INLINE void copy_lanes(const V* kept, std::size_t stride, std::span<const Placed> placed, V* to,
                           std::size_t n) {
  for (; placed.size() >= 4; placed = placed.subspan(4))
    copy_some_lanes<V, 4>(kept, stride, placed.data(), to, n);
  for (; placed.size() >= 2; placed = placed.subspan(2))
    copy_some_lanes<V, 2>(kept, stride, placed.data(), to, n);
  if (!placed.empty()) copy_some_lanes<V, 1>(kept, stride, placed.data(), to, n);
}

IRN_LANES_END

#endif
