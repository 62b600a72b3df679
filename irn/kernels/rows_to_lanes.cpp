#include "irn/kernels/rows_to_lanes.h"

#include <algorithm>
#include <array>

#include "hwy/highway.h"

// Squares of 128 bits (4 x 4 floats, 2 x 2 doubles) are turned in registers: the instruction set that every x86-64 has
// does it at a quarter of the loads and stores of one number at a time, and wider ones gain nothing on the stores.
namespace irn::kernels {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
inline constexpr std::size_t side = 16 / sizeof(T);

#if HWY_TARGET == HWY_SCALAR
template <class T>
void turn(const std::array<const T*, side<T>>& rows, std::size_t k, std::size_t width, T* out) {
  for (std::size_t j = 0; j < side<T>; ++j)
    for (std::size_t i = 0; i < side<T>; ++i) out[j * width + i] = rows[i][k + j];
}
#else
inline void turn(const std::array<const float*, 4>& rows, std::size_t k, std::size_t width, float* out) {
  const hn::FixedTag<float, 4> d;
  const auto a = hn::LoadU(d, rows[0] + k), b = hn::LoadU(d, rows[1] + k), c = hn::LoadU(d, rows[2] + k),
             e = hn::LoadU(d, rows[3] + k);
  const auto ab = hn::InterleaveLower(d, a, b), ce = hn::InterleaveLower(d, c, e);
  const auto ab_upper = hn::InterleaveUpper(d, a, b), ce_upper = hn::InterleaveUpper(d, c, e);
  hn::StoreU(hn::ConcatLowerLower(d, ce, ab), d, out);
  hn::StoreU(hn::ConcatUpperUpper(d, ce, ab), d, out + width);
  hn::StoreU(hn::ConcatLowerLower(d, ce_upper, ab_upper), d, out + 2 * width);
  hn::StoreU(hn::ConcatUpperUpper(d, ce_upper, ab_upper), d, out + 3 * width);
}

inline void turn(const std::array<const double*, 2>& rows, std::size_t k, std::size_t width, double* out) {
  const hn::FixedTag<double, 2> d;
  const auto a = hn::LoadU(d, rows[0] + k), b = hn::LoadU(d, rows[1] + k);
  hn::StoreU(hn::InterleaveLower(d, a, b), d, out);
  hn::StoreU(hn::InterleaveUpper(d, a, b), d, out + width);
}
#endif

}  // namespace

template <class T>
void rows_to_lanes(const T* values, std::size_t columns, std::span<const std::uint64_t> index,
                   std::size_t width, T* out) {
  constexpr std::size_t n = side<T>;
  const std::size_t whole_lanes = index.size() / n * n, whole_columns = columns / n * n;
  for (std::size_t lane = 0; lane < whole_lanes; lane += n) {
    std::array<const T*, n> rows;
    for (std::size_t i = 0; i < n; ++i) rows[i] = values + index[lane + i] * columns;
    for (std::size_t k = 0; k < whole_columns; k += n) turn(rows, k, width, out + k * width + lane);
    for (std::size_t k = whole_columns; k < columns; ++k)
      for (std::size_t i = 0; i < n; ++i) out[k * width + lane + i] = rows[i][k];
  }
  for (std::size_t lane = whole_lanes; lane < index.size(); ++lane)
    for (std::size_t k = 0; k < columns; ++k) out[k * width + lane] = values[index[lane] * columns + k];
  if (index.size() < width)
    for (std::size_t k = 0; k < columns; ++k)
      std::fill(out + k * width + index.size(), out + (k + 1) * width, T{0});
}

template void rows_to_lanes(const float*, std::size_t, std::span<const std::uint64_t>, std::size_t, float*);
template void rows_to_lanes(const double*, std::size_t, std::span<const std::uint64_t>, std::size_t, double*);

}  // namespace irn::kernels
