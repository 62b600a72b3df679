// Encodes the values of a column: a number and the parts of a date are scaled, a text becomes one of the
// column's units. A unit is found by its text or, if that is a number, by the number ("3" for 3.0). Samples
// of a table and a program's own rows are both encoded here.
// The caller decides about values that are missing or unknown.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "irn/data/category-inl.h"
#include "irn/data/csv_scan-inl.h"
#include "irn/data/encoding.h"

namespace irn {

class ColumnCode {
 public:
  static constexpr auto none = static_cast<std::size_t>(-1);

  explicit ColumnCode(const EncodedColumn& column)
      : mean_(column.mean),
        factor_(1 / column.scale),
        parts_(column.parts),
        buckets_(column.buckets),
        others_(column.others ? column.categories.size() : none) {
    for (std::size_t unit = 0; unit < column.categories.size(); ++unit) {
      const std::string& text = column.categories[unit];
      by_text_.emplace_back(text, unit);
      if (double number; csv::is_number(text, number)) by_number_.emplace_back(number, unit);
    }
    std::sort(by_text_.begin(), by_text_.end());
    std::sort(by_number_.begin(), by_number_.end());
  }

  double scaled(double value) const { return (value - mean_) * factor_; }
  double scaled_part(double date, std::size_t part) const {
    return (date_part(date, parts_[part].part) - parts_[part].mean) / parts_[part].scale;
  }
  std::size_t unit(std::string_view text) const {
    return buckets_ > 0 ? text_bucket(text, buckets_) : find(by_text_, text);
  }
  std::size_t unit(double number) const {
    return buckets_ > 0 ? text_bucket(in_words(number), buckets_) : find(by_number_, number);
  }

 private:
  template <class Key, class Wanted>
  std::size_t find(const std::vector<std::pair<Key, std::size_t>>& units, const Wanted& wanted) const {
    const auto found = std::lower_bound(units.begin(), units.end(), wanted,
                                        [](const auto& unit, const Wanted& key) { return unit.first < key; });
    return found == units.end() || found->first != wanted ? others_ : found->second;
  }

  double mean_, factor_;
  std::vector<ScaledPart> parts_;
  std::size_t buckets_, others_;  // others_: the unit of all other texts, or `none`
  std::vector<std::pair<std::string, std::size_t>> by_text_;
  std::vector<std::pair<double, std::size_t>> by_number_;
};

}  // namespace irn
