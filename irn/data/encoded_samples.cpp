#include "irn/data/encoded_samples.h"

#include <algorithm>
#include <cmath>

#include "irn/base/text.h"
#include "irn/data/category-inl.h"
#include "irn/data/column_code-inl.h"
#include "irn/data/csv_number-inl.h"
#include "irn/kernels/rows_to_lanes.h"

namespace irn {

namespace {

// The column that the encoding needs; a DataError says that it is missing (not, like Frame::find, unknown).
std::size_t place_of(const Frame& frame, const std::string& name) {
  if (frame.has(name)) return frame.find(name);
  std::vector<std::string_view> names;
  for (const FrameColumn& column : frame.columns()) names.push_back(column.name);
  const std::string_view meant = closest(name, names);
  throw DataError(frame.source() + ": the column \"" + name + "\" is missing; " +
                  (meant.empty() ? "add it" : "rename \"" + std::string(meant) + "\" if that is it"));
}

void check_image(const Frame& frame, const Encoding& encoding) {
  if (!encoding.image.none() && frame.images() && encoding.image != frame.images()->shape)
    throw DataError(frame.source() + ": images of " + to_text(frame.images()->shape) +
                    "; this was fitted to images of " + to_text(encoding.image));
}

}  // namespace

// Encodes one column: from values of the table to units.
template <class T>
class EncodedSamples<T>::Coder {
 public:
  Coder(const Frame& frame, const EncodedColumn& encoded)
      : frame_(&frame),
        column_(place_of(frame, encoded.name)),
        width_(encoded.width()),
        number_(encoded.is_number()),
        parts_(encoded.parts.size()),
        reading_(encoded.reading),
        text_(frame.columns()[column_].text),
        code_(encoded),
        numbers_(frame, column_, encoded.reading) {
    // If all texts happen to be numbers, the table has a column of numbers where the encoding has texts.
    if (text_ && !number_ && parts_ == 0)
      for (const std::string& text : frame.columns()[column_].categories)
        unit_of_text_.push_back(code_.unit(text));
  }

  std::size_t width() const { return width_; }

  // The encoding may refuse missing, unknown and out-of-range values: the caller decides.
  bool is_missing(std::span<const double> row) const { return std::isnan(row[column_]); }
  bool is_known(std::span<const double> row) const {
    return number_ || parts_ > 0 || unit(row[column_]) != none;
  }
  bool is_in_range(std::span<const double> row) const {
    return !number_ || std::isfinite(scaled(numbers_(row)));
  }

  void encode(std::span<const double> row, std::size_t stride, T* out) const {
    const double value = row[column_];
    if (number_) {  // a missing number takes the mean, which is 0 here
      *out = std::isnan(value) ? T{0} : scaled(numbers_(row));
      return;
    }
    for (std::size_t k = 0; k < parts_; ++k)  // a missing date likewise
      out[k * stride] = std::isnan(value) ? T{0} : static_cast<T>(code_.scaled_part(numbers_(row), k));
    if (parts_ > 0) return;
    for (std::size_t i = 0; i < width_; ++i) out[i * stride] = T{0};
    const std::size_t on = std::isnan(value) ? none : unit(value);
    if (on != none) out[on * stride] = T{1};
  }

  [[noreturn]] void fail_missing(std::size_t row, bool target) const {
    throw DataError(
        place(row) + (target ? "missing target; fill it in, or drop such rows"
                             : "missing value; fill it in, take the mean of the column or drop such rows"),
        "missing");
  }
  [[noreturn]] void fail_unknown(std::size_t row, bool target) const {
    throw DataError(
        place(row) + "'" + shown(row) + "' " +
            (target
                 ? "is not among the classes this was fitted to; correct it or leave the row out"
                 : "is not among the values this was fitted to; correct it, or take zeros for such values"),
        target ? "" : "unknown");
  }
  [[noreturn]] void fail_range(std::size_t row) const {
    const bool single = sizeof(T) == 4;
    throw DataError(place(row) + shown(row) + " is too large" + (single ? " for single precision" : "") +
                        ", scaled as it is; correct it" + (single ? ", or train in double precision" : ""),
                    single ? "precision" : "");
  }
  // Refuses text where numbers are expected, naming the first text that is not a number, and numbers where
  // dates are expected, as these may mean anything.
  void refuse_text() const {
    if (is_date(reading_) && !text_ && frame_->rows() > 0)
      throw DataError(place(0) + "'" + shown(0) +
                      "' is a number where dates are expected; write it as 2024-03-05");
    if (!text_ || (!number_ && parts_ == 0)) return;
    const std::optional<std::size_t> wrong =
        reading_ == Reading::number ? first_no_number() : numbers_.first_that_is_none();
    if (!wrong || frame_->columns()[column_].categories.empty()) return;
    std::size_t row = 0;
    while (row + 1 < frame_->rows() && frame_->row(row)[column_] != static_cast<double>(*wrong)) ++row;
    const Hint hint = hint_about(shown(row));
    throw DataError(place(row) + "'" + shown(row) + "' " + hint.what, hint.setting);
  }

 private:
  static constexpr std::size_t none = ColumnCode::none;

  T scaled(double value) const { return static_cast<T>(code_.scaled(value)); }

  csv::Dialect dialect() const {
    return {.decimal = frame_->format().decimal, .thousands = frame_->format().thousands};
  }
  // The first of the column's texts that is not a number as the file writes them. If all are numbers, the
  // column was named as text: then the first of all.
  std::optional<std::size_t> first_no_number() const {
    const FrameColumn& column = frame_->columns()[column_];
    for (std::size_t k = 0; k < column.categories.size(); ++k)
      if (double value = 0; !csv::is_number(column.categories[k], dialect(), value) || !std::isfinite(value))
        return k;
    const std::optional<std::size_t> other = numbers_.first_that_is_none();
    return other || column.exact ? other : std::optional<std::size_t>(0);
  }

  struct Hint {
    std::string what;
    const char* setting = "";
  };
  Hint hint_about(const std::string& text) const {
    if (is_date(reading_)) {
      const NoDate no = why_no_date(text, reading_);
      return {no.why, no.other_order ? "date-order" : ""};
    }
    if (reading_ == Reading::boolean) return {"is text where yes or no is expected; correct it"};
    const std::string wrong = "is text where numbers are expected; correct it";
    if (double value = 0; csv::is_number(text, dialect(), value) && std::isfinite(value))
      return {"is in a column that was named as text, where numbers are expected; do not name it", "text"};
    const std::optional<csv::Dialect> marks = csv::other_marks(text, dialect());
    if (!marks) return {wrong};
    if (marks->decimal != dialect().decimal) return {wrong + ", or say what its decimal mark is", "decimal"};
    return {wrong + ", or say what stands between its thousands", "thousands"};
  }

  std::string shown(std::size_t row) const {
    const double value = frame_->row(row)[column_];
    if (std::isnan(value)) return "";
    return text_ ? frame_->columns()[column_].categories[static_cast<std::size_t>(value)] : in_words(value);
  }
  std::string place(std::size_t row) const {
    return frame_->place(row) + ", column '" + frame_->columns()[column_].name + "': ";
  }

  std::size_t unit(double value) const {
    return text_ ? unit_of_text_[static_cast<std::size_t>(value)] : code_.unit(value);
  }

  const Frame* frame_;
  std::size_t column_, width_;
  // Expected: a number, or `parts_` parts of a date, or texts.
  bool number_;
  std::size_t parts_;
  Reading reading_;
  bool text_;  // whether the table's column holds text
  ColumnCode code_;
  ColumnNumbers numbers_;
  std::vector<std::size_t> unit_of_text_;  // of each text of the table's column
};

namespace {

template <class Coder>
bool keep_row(const std::vector<Coder>& coders, std::span<const double> row, std::size_t i,
              const Encoding& encoding, bool target, bool& unknown) {
  for (const Coder& coder : coders) {
    if (coder.is_missing(row)) {
      if (encoding.missing == Missing::drop) return false;
      if (encoding.missing == Missing::refuse || target) coder.fail_missing(i, target);
    } else if (!coder.is_known(row)) {
      if (encoding.unknown == Unknown::refuse || target) coder.fail_unknown(i, target);
      unknown = true;
    } else if (!coder.is_in_range(row)) {
      coder.fail_range(i);
    }
  }
  return true;
}

void check_weight(const Frame& frame, std::size_t row, std::size_t column) {
  const double weight = frame.row(row)[column];
  if (!std::isnan(weight) && weight >= 0) return;
  throw DataError(frame.place(row) + ", column '" + frame.columns()[column].name +
                      "': a weight is a number, 0 or more; correct it",
                  "weights");
}

}  // namespace

template <class T>
EncodedSamples<T>::EncodedSamples(const Frame& frame, const Encoding& encoding, const Options& options)
    : frame_(&frame),
      inputs_(encoding.input_width()),
      targets_(options.with_targets ? encoding.target_width() : 0) {
  check_image(frame, encoding);
  for (const EncodedColumn& column : encoding.inputs) input_coders_.emplace_back(frame, column);
  if (options.with_targets)
    for (const EncodedColumn& column : encoding.targets) target_coders_.emplace_back(frame, column);
  for (const auto* coders : {&input_coders_, &target_coders_})
    for (const Coder& coder : *coders) coder.refuse_text();
  if (!options.weights.empty()) {
    weights_ = frame.find(options.weights);
    if (frame.columns()[*weights_].text)
      throw DataError(
          frame.source() + ", column '" + options.weights + "': weights are numbers; this holds text",
          "weights");
  }
  if (options.rows) check_samples(*options.rows, frame.rows());
  const std::size_t asked = options.rows ? options.rows->size() : frame.rows();
  for (std::size_t i = 0; i < asked; ++i) {
    const std::uint64_t r = options.rows ? (*options.rows)[i] : i;
    const std::span<const double> values = frame.row(r);
    bool unknown = false;
    if (!keep_row(input_coders_, values, r, encoding, false, unknown) ||
        !keep_row(target_coders_, values, r, encoding, true, unknown))
      continue;
    if (weights_) check_weight(frame, r, *weights_);
    rows_.push_back(r);
    unknown_ += unknown;
  }
  size_ = rows_.size();
  dropped_ = asked - size_;
  if (size_ == 0 && options.may_be_none) return;
  if (asked == 0) throw Error("no rows were chosen from " + frame.source());
  if (size_ == 0) throw DataError(frame.source() + ": no rows without a missing value; fill the gaps");
  if (weights_ &&
      std::all_of(rows_.begin(), rows_.end(), [&](auto r) { return frame.row(r)[*weights_] == 0; }))
    throw DataError(frame.source() + ", column '" + options.weights + "': all weights are 0", "weights");
  if (!options.rows && dropped_ == 0) rows_ = {};
}

template <class T>
EncodedSamples<T>::~EncodedSamples() = default;
template <class T>
EncodedSamples<T>::EncodedSamples(EncodedSamples&&) noexcept = default;

template <class T>
void EncodedSamples<T>::inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width,
                                        T* out) const {
  check_lanes(index, size_, width);
  for (std::size_t lane = 0; lane < index.size(); ++lane) {
    const std::span<const double> values = frame_->row(row(index[lane]));
    T* unit = out + lane;
    for (const Coder& coder : input_coders_) {
      coder.encode(values, width, unit);
      unit += coder.width() * width;
    }
  }
  for (std::size_t k = 0; k < inputs_; ++k)
    std::fill(out + k * width + index.size(), out + (k + 1) * width, T{0});
}

template <class T>
void EncodedSamples<T>::inputs_as_rows(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, size_);
  for (const std::uint64_t i : index)
    for (const Coder& coder : input_coders_) {
      coder.encode(frame_->row(row(i)), 1, out);
      out += coder.width();
    }
}

template <class T>
void EncodedSamples<T>::expect(std::span<const std::uint64_t> index) const {
  constexpr std::uint64_t first = 0;
  for (const std::uint64_t i : index) {
    const std::span<const double> values = frame_->row(row(i));
    kernels::prefetch_rows<double>(values.data(), values.size(), {&first, 1});
  }
}

template <class T>
void EncodedSamples<T>::targets_as_rows(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, size_);
  for (const std::uint64_t i : index)
    for (const Coder& coder : target_coders_) {
      coder.encode(frame_->row(row(i)), 1, out);
      out += coder.width();
    }
}

template <class T>
void EncodedSamples<T>::weights(std::span<const std::uint64_t> index, T* out) const {
  if (!weights_) return Samples<T>::weights(index, out);
  check_samples(index, size_);
  for (const std::uint64_t i : index) *out++ = static_cast<T>(frame_->row(row(i))[*weights_]);
}

template class EncodedSamples<float>;
template class EncodedSamples<double>;

}  // namespace irn
