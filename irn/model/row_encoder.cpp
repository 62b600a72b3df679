#include "irn/model/row_encoder.h"

#include <algorithm>
#include <cmath>

#include "irn/data/category-inl.h"
#include "irn/data/column_code-inl.h"
#include "irn/data/frame.h"

namespace irn {
namespace {

[[noreturn]] void fail(const EncodedColumn& column, const std::string& what) {
  throw DataError("column '" + column.name + "': " + what);
}

void check_present(const Encoding& encoding, const EncodedColumn& column) {
  if (encoding.missing == Missing::mean) return;
  fail(column, "missing value; fill it in, or train a model that takes the mean");
}

std::string shown(const Value& value) {
  return "'" + (value.is_text() ? std::string(value.text().substr(0, 60)) : in_words(value.number())) + "'";
}

// The value as a number: dates, yes and no may be texts.
double number_of(const EncodedColumn& encoded, const Value& value) {
  const bool date = is_date(encoded.reading);
  if (!value.is_text() && date) fail(encoded, shown(value) + " is a number where a date is expected");
  if (!value.is_text()) return value.number();
  const std::optional<double> said =
      encoded.reading == Reading::number ? std::nullopt : number_in(value.text(), encoded.reading);
  if (!said && date) fail(encoded, shown(value) + " " + why_no_date(value.text(), encoded.reading).why);
  if (!said)
    fail(encoded, shown(value) + " is text where a " +
                      (encoded.reading == Reading::boolean ? "yes or no" : "number") + " is expected");
  return *said;
}

}  // namespace

template <class T>
RowEncoder<T>::RowEncoder(const Encoding& encoding)
    : encoding_(&encoding),
      codes_(encoding.inputs.begin(), encoding.inputs.end()),
      inputs_(encoding.input_width()) {}
template <class T>
RowEncoder<T>::~RowEncoder() = default;

template <class T>
void RowEncoder<T>::encode_number(std::size_t column, const Value& value, T* out) const {
  const EncodedColumn& encoded = encoding_->inputs[column];
  *out = T(0);  // the mean
  if (value.is_missing()) return check_present(*encoding_, encoded);
  *out = static_cast<T>(codes_[column].scaled(number_of(encoded, value)));
  if (!std::isfinite(*out)) fail(encoded, shown(value) + " is beyond the range of numbers; correct it");
}

template <class T>
void RowEncoder<T>::encode_parts(std::size_t column, const Value& value, T* out) const {
  const EncodedColumn& encoded = encoding_->inputs[column];
  std::fill_n(out, encoded.width(), T(0));
  if (value.is_missing()) return check_present(*encoding_, encoded);
  const double date = number_of(encoded, value);
  for (std::size_t k = 0; k < encoded.width(); ++k)
    out[k] = static_cast<T>(codes_[column].scaled_part(date, k));
}

template <class T>
void RowEncoder<T>::encode_category(std::size_t column, const Value& value, T* out) const {
  const EncodedColumn& encoded = encoding_->inputs[column];
  std::fill_n(out, encoded.width(), T(0));
  if (value.is_missing()) return check_present(*encoding_, encoded);
  const ColumnCode& code = codes_[column];
  const std::size_t unit = value.is_text() ? code.unit(value.text()) : code.unit(value.number());
  if (unit != ColumnCode::none)
    out[unit] = T(1);
  else if (encoding_->unknown == Unknown::refuse)
    fail(encoded,
         shown(value) + " is not among the values the model was fitted to; correct it or train again");
}

template <class T>
template <class Given>
void RowEncoder<T>::encode_row(std::span<const Given> row, T* out) const {
  if (row.size() != columns())
    throw Error("the model takes " + std::to_string(columns()) + " columns, from '" +
                encoding_->inputs.front().name + "' to '" + encoding_->inputs.back().name + "'; " +
                std::to_string(row.size()) + " values were given");
  for (std::size_t c = 0; c < row.size(); ++c) {
    const EncodedColumn& encoded = encoding_->inputs[c];
    encoded.is_number()      ? encode_number(c, row[c], out)
    : !encoded.parts.empty() ? encode_parts(c, row[c], out)
                             : encode_category(c, row[c], out);
    out += encoded.width();
  }
}

template <class T>
void RowEncoder<T>::encode(std::span<const Value> row, T* out) const {
  encode_row(row, out);
}
template <class T>
void RowEncoder<T>::encode(std::span<const double> row, T* out) const {
  encode_row(row, out);
}

template class RowEncoder<float>;
template class RowEncoder<double>;

}  // namespace irn
