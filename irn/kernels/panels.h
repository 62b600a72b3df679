// A matrix packed for the product kernel: panels of rows, each panel column by column.
//
// Row i of the product is a sum over one or more ranges of the vector's entries, so that absent blocks of a
// network cost nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "irn/kernels/rows_to_lanes.h"

namespace irn {

struct PanelRange {
  std::size_t first = 0;  // first entry of the vector
  std::size_t count = 0;
  bool operator==(const PanelRange&) const = default;
};

inline constexpr std::size_t max_panel_height = 12;

// Rows are divided evenly: 22 rows are two panels of 11, not 12 and 10, so that no panel is too short to hide
// the latency of a multiply-add. The first panels may have one row more than the others.
constexpr std::size_t panel_count(std::size_t rows) {
  return (rows + max_panel_height - 1) / max_panel_height;
}
// The first row of panel k.
constexpr std::size_t panel_start(std::size_t rows, std::size_t k) {
  return rows == 0 ? 0 : rows / panel_count(rows) * k + std::min(k, rows % panel_count(rows));
}
// The height of the panel that begins at `row`.
constexpr std::size_t panel_height(std::size_t rows, std::size_t row) {
  const std::size_t low = rows / panel_count(rows), taller = rows % panel_count(rows);
  return row < taller * (low + 1) ? low + 1 : low;
}

template <class T>
struct Panels {
  std::size_t rows = 0;
  std::size_t depth = 0;  // sum of the ranges' counts
  std::vector<PanelRange> ranges;
  std::vector<T> weights;

  Panels() = default;
  Panels(std::size_t row_count, std::vector<PanelRange> entry_ranges)
      : rows(row_count), ranges(std::move(entry_ranges)) {
    for (const PanelRange& r : ranges) depth += r.count;
    weights.resize(rows * depth);
  }

  // Writes the block of `height` x `width` numbers m[i * row_stride + j * col_stride] to the rows from `row`
  // and the columns from `column`, in packed order.
  void set(std::size_t row, std::size_t height, std::size_t column, std::size_t width, const T* m,
           std::size_t row_stride, std::size_t col_stride) {
    for (std::size_t k = 0; k < panel_count(rows); ++k)
      set_in_panel(k, row, height, column, width, m, row_stride, col_stride);
  }
  // The same, but only the part in panel k.
  void set_in_panel(std::size_t k, std::size_t row, std::size_t height, std::size_t column, std::size_t width,
                    const T* m, std::size_t row_stride, std::size_t col_stride) {
    const std::size_t first = panel_start(rows, k), tall = panel_start(rows, k + 1) - first;
    const std::size_t from = std::max(row, first), end = std::min(row + height, first + tall);
    T* panel = weights.data() + first * depth;
    if (from >= end) return;
    // Contiguous rows are copied in runs that stay in the first-level cache; others in the panel's order.
    constexpr std::size_t run = 128;
    m += (from - row) * row_stride, panel += column * tall + (from - first);
    for (std::size_t j = 0; col_stride == 1 && j < width; j += run)
      kernels::transpose(m + j, row_stride, end - from, std::min(run, width - j), tall, panel + j * tall);
    for (std::size_t j = 0; col_stride != 1 && j < width; ++j)
      for (std::size_t i = 0; i < end - from; ++i) panel[j * tall + i] = m[i * row_stride + j * col_stride];
  }
};

}  // namespace irn
