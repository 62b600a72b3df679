// Matrix times lanes:  out_i += sum_k m_ik v_k  for all samples of a group at once.
//
// The matrix is the same for all lanes. It is packed in panels of R <= 12 rows: panel[k * R + r]. R sums stay
// in registers during the loop over k; each step is one load of v_k and R multiply-adds with a broadcast
// weight. docs/speed.md gives the share of the machine's peak that it reaches (bench_product).
// Every output is summed over k in ascending order by fused multiply-adds, whatever its panel or lane.
//
// 12 rows are the most that leave room for v_k and the broadcast in the 16 registers of AVX2.
#if defined(IRN_KERNELS_PRODUCT_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_KERNELS_PRODUCT_INL_H_
#undef IRN_KERNELS_PRODUCT_INL_H_
#else
#define IRN_KERNELS_PRODUCT_INL_H_
#endif

#include <cstdint>

#include "irn/kernels/lanes-inl.h"
#include "irn/kernels/panels.h"

IRN_LANES_BEGIN

// Prefetches the weights a page ahead: if they come from memory, the processor's own prefetching starts anew
// on every page. Only for the tallest panels, which are those of wide layers (rows are divided evenly).
template <std::size_t bytes, class T>
IRN_INLINE void ask_ahead(const T* weights) {
  constexpr std::uintptr_t page = 4096, line = 64;
  const auto place = reinterpret_cast<std::uintptr_t>(weights) + page;
  __builtin_prefetch(reinterpret_cast<const void*>(place));
  if constexpr (bytes > line) __builtin_prefetch(reinterpret_cast<const void*>(place + line));
}

// One panel from start to finish:  out = start + sum over the ranges.
template <class V, std::size_t R>
IRN_INLINE void run_panel(const Panels<typename V::Scalar>& m, const typename V::Scalar* panel, const V* v,
                          const V* start, V* out) {
  V sums[R];
  IRN_UNROLL
  for (std::size_t r = 0; r < R; ++r) sums[r] = start ? start[r] : V();
  for (const PanelRange& range : m.ranges) {
    const V* part = v + range.first;
    for (std::size_t k = 0; k < range.count; ++k, panel += R) {
      const V vk = part[k];
      if constexpr (R + 1 >= max_panel_height) ask_ahead<R * sizeof(typename V::Scalar)>(panel);
      IRN_UNROLL
      for (std::size_t r = 0; r < R; ++r) sums[r] = mul_add(V(panel[r]), vk, sums[r]);
    }
  }
  IRN_UNROLL
  for (std::size_t r = 0; r < R; ++r) out[r] = sums[r];
}

// out = start + M v for all rows of M. `start` may be null (zero) and may be `out`.
// Activations are applied in a second pass: fused, each would need its own copy of every panel's code.
template <class V>
IRN_NOINLINE void multiply(const Panels<typename V::Scalar>& m, const V* v, const V* start, V* out) {
  const typename V::Scalar* panel = m.weights.data();
  std::size_t row = 0;
  while (row < m.rows) {
    const std::size_t height = panel_height(m.rows, row);
    const V* from = start ? start + row : nullptr;
    V* to = out + row;
    switch (height) {
#define IRN_PANEL(R)                        \
  case R:                                   \
    run_panel<V, R>(m, panel, v, from, to); \
    break
      IRN_PANEL(1);
      IRN_PANEL(2);
      IRN_PANEL(3);
      IRN_PANEL(4);
      IRN_PANEL(5);
      IRN_PANEL(6);
      IRN_PANEL(7);
      IRN_PANEL(8);
      IRN_PANEL(9);
      IRN_PANEL(10);
      IRN_PANEL(11);
      IRN_PANEL(12);
#undef IRN_PANEL
      default:
        break;  // no panel is taller
    }
    panel += height * m.depth;
    row += height;
  }
}

#define IRN_MULTIPLY(V) \
  extern template void multiply<V>(const Panels<typename V::Scalar>&, const V*, const V*, V*);
IRN_FOR_LANES(IRN_MULTIPLY)
#undef IRN_MULTIPLY

IRN_LANES_END

#endif
