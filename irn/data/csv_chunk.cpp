#include <limits>

#include "irn/data/csv_chunk-inl.h"

namespace irn::csv {
namespace {

constexpr std::size_t shown = 40;  // letters of a value in a message

std::string quote(std::string_view text) {
  return "'" + std::string(text.substr(0, shown)) + (text.size() > shown ? "..." : "") + "'";
}

}  // namespace

std::size_t Texts::code(std::string_view text) {
  const auto known = codes_.find(text);
  if (known != codes_.end()) return known->second;
  const std::size_t code = all_.size();
  all_.emplace_back(text);
  codes_.emplace(text, code);
  return code;
}

void Chunk::reset(std::string_view text, const Dialect& dialect, std::span<const FrameColumn> columns) {
  p_ = text.data();
  end_ = p_ + text.size();
  dialect_ = dialect;
  width_ = columns.size();
  rows_ = line_ = 0;
  is_text_.clear();
  exact_.clear();
  for (const FrameColumn& column : columns) is_text_.push_back(column.text), exact_.push_back(column.exact);
  values_.clear();
  turned_text_.assign(width_, 0);
  texts_.resize(width_);
  for (std::size_t c = 0; c < width_; ++c) texts_[c] = is_text_[c] ? std::make_unique<Texts>() : nullptr;
  beyond_range_.clear();
  line_marks_.clear();
  mistake_.reset();
}

void Chunk::parse(std::string_view text, const Dialect& dialect, std::span<const FrameColumn> columns) {
  reset(text, dialect, columns);
  const auto parse_row = dialect.decimal == dialect.delimiter ? &Chunk::parse_row<'\0'>
                         : dialect.decimal == '.'             ? &Chunk::parse_row<'.'>
                                                              : &Chunk::parse_row<','>;
  while (p_ < end_) {
    const std::size_t empty = *p_ == '\n' ? 1 : *p_ == '\r' && p_[1] == '\n' ? 2 : 0;
    if (empty == 0) {
      if (line_marks_.empty() || line_ - rows_ != line_marks_.back().line - line_marks_.back().row)
        line_marks_.push_back({rows_, line_});
      values_.resize(values_.size() + width_);
      if (!(this->*parse_row)(values_.data() + rows_ * width_)) return;
      ++rows_;
    }
    p_ += std::max<std::size_t>(empty, 1);
    ++line_;
  }
}

// Almost all values are numbers that end at the delimiter: they are read in place, without a search for their
// end. All others take the slow way, parse_any(). decimal = '\0': the decimal mark is also the delimiter,
// only quotes tell them apart, and all values take the slow way.
template <char decimal>
bool Chunk::parse_row(double* out) {
  const char delimiter = dialect_.delimiter;
  for (std::size_t column = 0; column < width_; ++column) {
    bool done = false;
    if (decimal != '\0' && !is_text_[column]) {
      const auto [end, code] = parse_number(p_, end_, decimal, out[column]);
      done =
          code == std::errc() && (*end == delimiter || *end == '\n') && std::abs(out[column]) < largest_exact;
      if (done) p_ = end;
    }
    if (!done && !parse_any(column, out[column])) return false;
    const bool last = column + 1 == width_, newline = *p_ == '\n';
    if (last != newline) return fail_length(column);
    p_ += !newline;  // over the delimiter
  }
  return true;
}

// The row ends too early, or too late.
bool Chunk::fail_length(std::size_t column) {
  const std::string expected = std::to_string(width_) + (width_ == 1 ? " column" : " columns");
  if (*p_ == '\n')
    return fail(column, "the row ends after " + std::to_string(column + 1) + " of " + expected +
                            "; add what is missing or remove the row");
  return fail(column,
              "the row goes on after " + expected + "; remove what is too much or put the value in quotes");
}

bool Chunk::parse_any(std::size_t column, double& out) {
  Field field;
  p_ = next_field(p_, end_, dialect_.delimiter, field);
  if (field.mistake != nullptr) {
    mistake_ = {line_, column, field.mistake, true};
    return false;
  }
  if (is_missing(field.text))
    out = std::numeric_limits<double>::quiet_NaN();
  else
    out = is_text_[column] ? text_code(field, column) : number(field, column);
  if (field.quoted) line_ += static_cast<std::size_t>(std::count(field.text.begin(), field.text.end(), '\n'));
  return true;
}

double Chunk::number(const Field& field, std::size_t column) {
  double value = std::numeric_limits<double>::quiet_NaN();
  const std::string_view text = trimmed(field.text);
  const bool number = is_number(text, dialect_, value);
  if (!number || (exact_[column] && std::abs(value) >= largest_exact && is_whole_number(text))) {
    turned_text_[column] = 1;
  } else if (std::isinf(value)) {
    beyond_range_.try_emplace(
        column,
        Mistake{line_, column,
                quote(field.text) + " is infinite or too large for a number; correct it or leave it empty"});
  }
  return value;
}

double Chunk::text_code(const Field& field, std::size_t column) {
  const bool plain = !field.quoted || field.text.find('"') == field.text.npos;
  Texts& texts = *texts_[column];
  return static_cast<double>(plain ? texts.code(field.text) : texts.code(unescaped(field)));
}

bool Chunk::fail(std::size_t column, std::string what) {
  mistake_ = {line_, column, std::move(what)};
  return false;
}

}  // namespace irn::csv
