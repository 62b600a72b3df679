// Means and deviations of the columns of a table, over some of its rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "irn/data/frame.h"

namespace irn {

// Mean and deviation in two passes over the values: add() all, divide(), add_square() all, finish().
struct Moments {
  double count = 0, mean = 0, scale = 0;
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    ++count;
    mean += value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void divide() { mean /= std::max(count, 1.0); }
  void add_square(double value) { scale += (value - mean) * (value - mean); }
  // Constant values are known by their range, not by a sum with rounding errors.
  void finish() {
    const bool constant = !(low < high);
    if (constant) mean = count > 0 ? low : 0;
    scale = constant ? 1 : std::sqrt(scale / count);
  }
};

// Of all columns at once, row by row, as the table is stored.
inline std::vector<Moments> moments_of_columns(const Frame& frame, std::span<const std::uint64_t> rows) {
  std::vector<Moments> all(frame.width());
  const auto for_each_value = [&](const auto& body) {
    for (const std::uint64_t row : rows)
      for (std::size_t c = 0; const double value : frame.row(row)) {
        if (!std::isnan(value)) body(all[c], value);
        ++c;
      }
  };
  for_each_value([](Moments& m, double value) { m.add(value); });
  for (Moments& m : all) m.divide();
  for_each_value([](Moments& m, double value) { m.add_square(value); });
  for (Moments& m : all) m.finish();
  return all;
}

// Of a function of each row; NaN does not count.
template <class Value>
Moments moments_of(const Frame& frame, std::span<const std::uint64_t> rows, const Value& value_of) {
  Moments all;
  const auto for_each_value = [&](const auto& body) {
    for (const std::uint64_t row : rows)
      if (const double value = value_of(frame.row(row)); !std::isnan(value)) body(value);
  };
  for_each_value([&](double value) { all.add(value); });
  all.divide();
  for_each_value([&](double value) { all.add_square(value); });
  all.finish();
  return all;
}

}  // namespace irn
