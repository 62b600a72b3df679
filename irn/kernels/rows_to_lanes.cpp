#include "irn/kernels/rows_to_lanes.h"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/rows_to_lanes.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
// clang-format on

// Squares with sides of 128 bits (4 x 4 floats, 2 x 2 doubles) are transposed in registers, with a quarter of
// the loads and stores needed for single numbers. (Tried: no dispatch, only the instructions of every x86-64.
// Highway has no target for these, so that only single numbers remain.)
HWY_BEFORE_NAMESPACE();
namespace irn::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
inline constexpr std::size_t side = 16 / sizeof(T);

// A missing row (null) is a row of zeros.
template <class T>
HWY_INLINE T entry(const T* row, std::size_t k) {
  return row ? row[k] : T{0};
}

#if HWY_TARGET == HWY_SCALAR
template <class T>
HWY_INLINE void turn(const std::array<const T*, side<T>>& rows, std::size_t k, std::size_t width, T* out) {
  for (std::size_t j = 0; j < side<T>; ++j)
    for (std::size_t i = 0; i < side<T>; ++i) out[j * width + i] = entry(rows[i], k + j);
}
#else
template <class D, class T>
HWY_INLINE hn::Vec<D> square_row(D d, const T* row, std::size_t k) {
  return row ? hn::LoadU(d, row + k) : hn::Zero(d);
}

HWY_INLINE void turn(const std::array<const float*, 4>& rows, std::size_t k, std::size_t width, float* out) {
  const hn::FixedTag<float, 4> d;
  const auto a = square_row(d, rows[0], k), b = square_row(d, rows[1], k), c = square_row(d, rows[2], k),
             e = square_row(d, rows[3], k);
  const auto ab = hn::InterleaveLower(d, a, b), ce = hn::InterleaveLower(d, c, e);
  const auto ab_upper = hn::InterleaveUpper(d, a, b), ce_upper = hn::InterleaveUpper(d, c, e);
  hn::StoreU(hn::ConcatLowerLower(d, ce, ab), d, out);
  hn::StoreU(hn::ConcatUpperUpper(d, ce, ab), d, out + width);
  hn::StoreU(hn::ConcatLowerLower(d, ce_upper, ab_upper), d, out + 2 * width);
  hn::StoreU(hn::ConcatUpperUpper(d, ce_upper, ab_upper), d, out + 3 * width);
}

HWY_INLINE void turn(const std::array<const double*, 2>& rows, std::size_t k, std::size_t width,
                     double* out) {
  const hn::FixedTag<double, 2> d;
  const auto a = square_row(d, rows[0], k), b = square_row(d, rows[1], k);
  hn::StoreU(hn::InterleaveLower(d, a, b), d, out);
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, out + width);
}

#endif

// out[k * width + lane] = row_of(lane)[k] for lane < lanes, k < columns.
template <class T, class RowOf>
HWY_INLINE void turn_lanes(const RowOf& row_of, std::size_t lanes, std::size_t columns, std::size_t width,
                           T* out) {
  constexpr std::size_t n = side<T>;
  const std::size_t whole_lanes = lanes / n * n, whole_columns = columns / n * n;
  for (std::size_t lane = 0; lane < whole_lanes; lane += n) {
    std::array<const T*, n> rows;
    for (std::size_t i = 0; i < n; ++i) rows[i] = row_of(lane + i);
    for (std::size_t k = 0; k < whole_columns; k += n) turn(rows, k, width, out + k * width + lane);
    // A last square that overlaps the one before is faster than single numbers.
    if (columns >= n && columns > whole_columns) {
      const std::size_t k = columns - n;
      turn(rows, k, width, out + k * width + lane);
      continue;
    }
    for (std::size_t k = whole_columns; k < columns; ++k)
      for (std::size_t i = 0; i < n; ++i) out[k * width + lane + i] = entry(rows[i], k);
  }
  for (std::size_t lane = whole_lanes; lane < lanes; ++lane) {
    const T* row = row_of(lane);
    for (std::size_t k = 0; k < columns; ++k) out[k * width + lane] = entry(row, k);
  }
}

template <class T>
void turn_picked(const T* values, std::size_t columns, const std::uint64_t* index, std::size_t count,
                 std::size_t width, T* out) {
  turn_lanes<T>([&](std::size_t lane) { return lane < count ? values + index[lane] * columns : nullptr; },
                width, columns, width, out);
}
template <class T>
void turn_all(const T* m, std::size_t stride, std::size_t rows, std::size_t columns, std::size_t width,
              T* out) {
  turn_lanes<T>([&](std::size_t row) { return m + row * stride; }, rows, columns, width, out);
}

#define IRN_TURN(T, NAME)                                                                                   \
  void picked_##NAME(const T* values, std::size_t columns, const std::uint64_t* index, std::size_t count,   \
                     std::size_t width, T* out) {                                                           \
    turn_picked<T>(values, columns, index, count, width, out);                                              \
  }                                                                                                         \
  void all_##NAME(const T* m, std::size_t stride, std::size_t rows, std::size_t columns, std::size_t width, \
                  T* out) {                                                                                 \
    turn_all<T>(m, stride, rows, columns, width, out);                                                      \
  }
IRN_TURN(float, float)
IRN_TURN(double, double)
#undef IRN_TURN

}  // namespace irn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn::kernels {

#define IRN_TURN(T, NAME)                                                                                  \
  HWY_EXPORT(picked_##NAME);                                                                               \
  HWY_EXPORT(all_##NAME);                                                                                  \
  template <>                                                                                              \
  void rows_to_lanes(const T* values, std::size_t columns, std::span<const std::uint64_t> index,           \
                     std::size_t width, T* out) {                                                          \
    HWY_DYNAMIC_DISPATCH(picked_##NAME)(values, columns, index.data(), index.size(), width, out);          \
  }                                                                                                        \
  template <>                                                                                              \
  void transpose(const T* m, std::size_t stride, std::size_t rows, std::size_t columns, std::size_t width, \
                 T* out) {                                                                                 \
    HWY_DYNAMIC_DISPATCH(all_##NAME)(m, stride, rows, columns, width, out);                                \
  }
IRN_TURN(float, float)
IRN_TURN(double, double)
#undef IRN_TURN

}  // namespace irn::kernels
#endif
