// Conversion between rows, one for each sample, and lanes, which hold the samples side by side.
#if defined(IRN_GRADIENT_LANE_ROWS_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_GRADIENT_LANE_ROWS_INL_H_
#undef IRN_GRADIENT_LANE_ROWS_INL_H_
#else
#define IRN_GRADIENT_LANE_ROWS_INL_H_
#endif

#include <algorithm>
#include <span>

#include "irn/gradient/gradient.h"
#include "irn/kernels/lanes-inl.h"
#include "irn/kernels/rows_to_lanes.h"

IRN_LANES_BEGIN

// Consecutive rows to lanes, and back. Lanes without a sample become zero.
template <class V>
IRN_INLINE void rows_to_lanes(const typename V::Scalar* rows, std::size_t samples, std::size_t n, V* lanes) {
  if (samples < V::width) std::fill_n(lanes, n, V());
  kernels::transpose(rows, n, samples, n, V::width, &lanes[0].lane(0));
}
template <class V>
IRN_INLINE void lanes_to_rows(const V* lanes, std::size_t samples, std::size_t n, typename V::Scalar* rows) {
  kernels::transpose(&lanes[0].lane(0), V::width, n, samples, n, rows);
}

// g = dL/dz: the slopes [sample][neurons of the heads] at the heads' neurons, zero at all others.
template <class V>
IRN_INLINE void slopes_to_lanes(const typename V::Scalar* slopes, std::size_t samples,
                                std::span<const HeadRange> heads, std::size_t n, V* g) {
  std::size_t stride = 0, at = 0;
  for (const HeadRange& head : heads) stride += head.size;
  std::fill_n(g, n, V());
  for (const HeadRange& head : heads) {
    kernels::transpose(slopes + at, stride, samples, head.size, V::width, &g[head.first].lane(0));
    at += head.size;
  }
}

// The largest |v_i|; NaN if one of them is not finite.
template <class V>
IRN_INLINE V largest(const V* v, std::size_t n) {
  V size;
  for (std::size_t i = 0; i < n; ++i) size = larger_size(size, v[i]);
  return size + (size - size);
}

IRN_LANES_END

#endif
