// The texts of a column by their frequency.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "irn/data/frame.h"

namespace irn {

// How often each of the column's texts occurs in the rows; the key is its place in the list of texts.
inline std::map<double, std::size_t> count_texts(const Frame& frame, std::size_t column,
                                                 std::span<const std::uint64_t> rows) {
  std::map<double, std::size_t> counts;
  for (const std::uint64_t row : rows)
    if (const double value = frame.row(row)[column]; !std::isnan(value)) ++counts[value];
  return counts;
}

// The most frequent texts, in alphabetical order; of equally frequent ones the first in this order.
inline std::vector<std::string> frequent_texts(const FrameColumn& of,
                                               const std::map<double, std::size_t>& counts,
                                               std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> texts;
  for (const auto& [value, count] : counts)
    texts.emplace_back(count, of.categories[static_cast<std::size_t>(value)]);
  std::sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  texts.resize(std::min(most, texts.size()));
  std::vector<std::string> names;
  for (auto& [count, text] : texts) names.push_back(std::move(text));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace irn
