// Rows of a matrix as lanes: transposes rows picked by number, or all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace irn::kernels {

// out[k * width + lane] = values[index[lane] * columns + k] for k < columns; lanes from index.size() on
// become 0.
template <class T>
void rows_to_lanes(const T* values, std::size_t columns, std::span<const std::uint64_t> index,
                   std::size_t width, T* out);

// out[k * width + i] = m[i * stride + k] for i < rows, k < columns.
template <class T>
void transpose(const T* m, std::size_t stride, std::size_t rows, std::size_t columns, std::size_t width,
               T* out);

// Prefetches these rows, for a later rows_to_lanes().
template <class T>
void prefetch_rows(const T* values, std::size_t columns, std::span<const std::uint64_t> index) {
  constexpr std::size_t line = 64 / sizeof(T);
  for (const std::uint64_t i : index)
    for (std::size_t k = 0; k < columns; k += line) __builtin_prefetch(values + i * columns + k);
}

}  // namespace irn::kernels
