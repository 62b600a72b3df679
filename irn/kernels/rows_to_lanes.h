// Rows of a matrix side by side as lanes: a transposition of rows that are picked by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace irn::kernels {

// out[k * width + lane] = values[index[lane] * columns + k] for k < columns; lanes from index.size() to width become 0.
template <class T>
void rows_to_lanes(const T* values, std::size_t columns, std::span<const std::uint64_t> index,
                   std::size_t width, T* out);

}  // namespace irn::kernels
