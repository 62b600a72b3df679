// Turns a piece of a CSV file, from the beginning of one record to the end of another, into rows. Pieces are
// parsed in parallel and independently: each has its own list of texts and its own line numbers from 0, and
// reports columns in which text was found where numbers were expected. Join (csv_join-inl.h) puts them
// together.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "irn/data/csv_number-inl.h"
#include "irn/data/csv_scan-inl.h"
#include "irn/data/frame.h"

namespace irn::csv {

struct Mistake {
  std::size_t line = 0;    // from the start of the piece
  std::size_t column = 0;  // from 0
  std::string what;
  bool of_field = false;  // inside a field: quotes, NUL bytes
};

// Distinct texts in the order of their first appearance.
class Texts {
 public:
  std::size_t code(std::string_view text);
  std::span<const std::string> all() const { return all_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> codes_;
  std::vector<std::string> all_;
};

class Chunk {
 public:
  // `text` ends with '\n' and must stay valid until the next call.
  void parse(std::string_view text, const Dialect& dialect, std::span<const FrameColumn> columns);

  std::size_t rows() const { return rows_; }
  std::size_t lines() const { return line_; }
  std::span<const double> row(std::size_t i) const { return std::span(values_).subspan(i * width_, width_); }
  // Null for a column of numbers.
  const Texts* texts(std::size_t column) const { return texts_[column].get(); }
  bool turned_text(std::size_t column) const { return turned_text_[column]; }
  // The first number out of range in each column that has one: a mistake unless the column turns out to hold
  // text.
  const std::map<std::size_t, Mistake>& beyond_range() const { return beyond_range_; }
  const std::optional<Mistake>& mistake() const { return mistake_; }

  struct LineMark {
    std::size_t row, line;
  };
  std::span<const LineMark> line_marks() const { return line_marks_; }

 private:
  void reset(std::string_view text, const Dialect& dialect, std::span<const FrameColumn> columns);
  template <char decimal>
  bool parse_row(double* out);
  bool parse_any(std::size_t column, double& out);
  double number(const Field& field, std::size_t column);
  double text_code(const Field& field, std::size_t column);
  bool fail(std::size_t column, std::string what);
  bool fail_length(std::size_t column);

  const char* p_ = nullptr;
  const char* end_ = nullptr;
  Dialect dialect_;
  std::size_t width_ = 0, rows_ = 0, line_ = 0;
  std::vector<char> is_text_, turned_text_, exact_;
  std::vector<double> values_;
  std::vector<std::unique_ptr<Texts>> texts_;  // pointers, as often few of many columns hold text
  std::map<std::size_t, Mistake> beyond_range_;
  std::vector<LineMark> line_marks_;
  std::optional<Mistake> mistake_;
};

}  // namespace irn::csv
