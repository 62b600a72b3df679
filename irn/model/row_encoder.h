// A row of a program's own values as the inputs of a network: what EncodedSamples does for tables, bit for bit.
// Refuses what the encoding refuses, with the column's name: missing values, unknown texts, text for a number, a number
// that is not finite. An encoding that drops rows with missing values refuses them here: a row asked for has an answer.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "irn/data/encoding.h"
#include "irn/model/value.h"

namespace irn {

template <class T>
class RowEncoder {
 public:
  explicit RowEncoder(const Encoding& encoding);  // borrowed: it must outlive the encoder and not change

  std::size_t columns() const { return encoding_->inputs.size(); }
  std::size_t inputs() const { return inputs_; }

  // One value a column, in the order of encoding.inputs; `out` takes inputs() numbers. Allocates nothing.
  void encode(std::span<const Value> row, T* out) const;
  void encode(std::span<const double> row, T* out) const;

 private:
  // Units of a column of texts: by text, and by number where a text is one ("3" for 3.0).
  struct Units {
    std::unordered_map<std::string_view, std::size_t> by_text;
    std::vector<std::pair<double, std::size_t>> by_number;
    std::size_t find(const Value& value) const;
  };

  template <class Given>
  void encode_row(std::span<const Given> row, T* out) const;
  void encode_number(std::size_t column, const Value& value, T* out) const;
  void encode_category(std::size_t column, const Value& value, T* out) const;

  const Encoding* encoding_;
  std::vector<Units> units_;  // one a column, empty for numbers
  std::size_t inputs_;
};

extern template class RowEncoder<float>;
extern template class RowEncoder<double>;

}  // namespace irn
