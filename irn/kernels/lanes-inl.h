// What the text of solvers and kernels may ask of a kind of lanes, and what it shares.
//
// The text (every *-inl.h of irn/equilibrium, the network's map, factors, products, activations) is algebra on a type V, one number a
// sample in each of its lanes. Whoever compiles it includes a kind of lanes first:
//   highway_lanes-inl.h   vector registers, once an instruction set
//   plain_lanes-inl.h     one sample, a float or a double: the readable reference, and one thread of a device
//
// A kind defines IRN_LANES_BEGIN and IRN_LANES_END, which open and close its namespace, IRN_LANES, that namespace's name, IRN_FN and IRN_INLINE, which
// stand before every function of the text, and the type V with
//   V::Scalar, V::Mask, V::width (lanes), V::Size (how many numbers a state has: std::size_t, or a constant the compiler knows)
//   V(), V(x), v.lane(k), + - * / -v, < <= >, abs, sqrt, min, max, copy_sign, mul_add, neg_mul_add, select, is_finite, larger_size
//   masks: &, |, and_not, none<V>, bits_of<V>, mask_of<V>, all_lanes<V>
//   sum_of_all, largest_of_all: of a state's unknowns, where a loop has gone over those that are here, unknown<V>(i) for i < n; in all there are
//   unknowns<V>(n). Lanes of a processor have all of them; threads of a device may share a state (engine/cuda/shared_state-inl.h)
//   rows_to_lanes; reciprocal, exp_of_minus, tanh, log1p, expm1, rough_cube_root
// Nothing a lane computes may depend on the others.
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

// Calls body(lane) for every lane whose bit is set, in ascending order.
template <class Body>
IRN_INLINE void for_lanes(unsigned bits, const Body& body) {
  for (; bits != 0; bits &= bits - 1) body(static_cast<std::size_t>(std::countr_zero(bits)));
}

// What is kept of problem p lies in lane p % width of the vectors from kept + p / width * stride on; to[i] takes the i-th over into
// the lane where the problem is placed, for i < n. In whole vectors, because a vector load waits for single numbers stored into it just
// before, and R problems at once, because such a store takes as long as two loads.
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
