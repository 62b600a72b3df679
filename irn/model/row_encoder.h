// Turns a row of a program's own values into the inputs of a network, with the same bits as EncodedSamples
// for tables. (A table of one row would not do: a table numbers its texts and looks for mistakes beforehand,
// and here nothing may be allocated.)
// Refuses what the encoding refuses, with the column's name: missing values, unknown texts, text instead of a
// number, a number that is not finite. If the encoding drops rows with missing values, they are refused here:
// every row must get an answer.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "irn/data/encoding.h"
#include "irn/model/value.h"

namespace irn {

class ColumnCode;

template <class T>
class RowEncoder {
 public:
  explicit RowEncoder(const Encoding& encoding);  // borrowed: it must outlive the encoder and not change
  ~RowEncoder();

  std::size_t columns() const { return encoding_->inputs.size(); }
  std::size_t inputs() const { return inputs_; }

  // One value for each column, in the order of encoding.inputs. Writes inputs() numbers to `out`. Allocates
  // nothing.
  void encode(std::span<const Value> row, T* out) const;
  void encode(std::span<const double> row, T* out) const;

 private:
  template <class Given>
  void encode_row(std::span<const Given> row, T* out) const;
  void encode_number(std::size_t column, const Value& value, T* out) const;
  void encode_parts(std::size_t column, const Value& value, T* out) const;
  void encode_category(std::size_t column, const Value& value, T* out) const;

  const Encoding* encoding_;
  std::vector<ColumnCode> codes_;  // one a column
  std::size_t inputs_;
};

extern template class RowEncoder<float>;
extern template class RowEncoder<double>;

}  // namespace irn
