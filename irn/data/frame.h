// A table as it was read: named columns, each of numbers or of text.
//   number   the value, in double precision whatever the network's precision, so that codes of nine digits
//            and seconds since 1970 stay exact; NaN stands for a missing one
//   text     the place of the value in the column's list of distinct texts, by first appearance; NaN if
//            missing
// Values of a row are together because training asks for rows in random order: a row of a hundred columns is
// 13 cache lines here and a hundred in a table of columns. Rows are stored in blocks because a table that
// grows in one piece is copied and held twice. Scaling, encoding and dropping rows are tasks of Encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "irn/base/error.h"
#include "irn/data/image.h"

namespace irn {

// A mistake in the data. The message names the file and the place in it, and says what to do. `setting` is
// the option that allows such data, if there is one; a program adds its own name for that option.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message, std::string setting = "")
      : Error(message), setting_(std::move(setting)) {}
  const std::string& setting() const { return setting_; }

 private:
  std::string setting_;
};

struct FrameColumn {
  std::string name;
  bool text = false;
  std::vector<std::string> categories = {};  // of a text column: its distinct values
  bool exact = false;  // its whole numbers are names: the column is text if a double cannot hold them
};

// How the file was written, if it is CSV.
struct FrameFormat {
  std::size_t header_line = 0;  // counted from 1; 0: none
  char decimal = '.', thousands = '\0';
};

class Frame {
 public:
  // Refuses an empty list of columns, too many of them, and names that occur twice.
  Frame(std::string source, std::vector<FrameColumn> columns);

  const std::string& source() const { return source_; }
  std::size_t rows() const { return rows_; }
  std::size_t width() const { return columns_.size(); }
  std::span<const FrameColumn> columns() const { return columns_; }
  // One value for each column.
  std::span<const double> row(std::size_t i) const {
    return {blocks_[i >> shift_].get() + (i & mask_) * columns_.size(), columns_.size()};
  }

  // irn::DataError with a suggestion if there is no such column.
  std::size_t find(std::string_view name) const;
  bool has(std::string_view name) const;
  // "data.csv, line 12" or, if the file has no lines, "data.npy, row 11 (counted from 0)".
  std::string place(std::size_t row) const;

  const FrameFormat& format() const { return format_; }
  void set_format(const FrameFormat& format) { format_ = format; }

  // Columns that are images, if the file says so: one for each number of the shape, from `first` on.
  struct Images {
    ImageShape shape;
    std::size_t first = 0;
  };
  const std::optional<Images>& images() const { return images_; }
  void set_images(const std::optional<Images>& images) { images_ = images; }

  // Appends the rows of another table with the same columns; place() still names the other's file for them.
  // irn::DataError with file and line if the columns differ. A column that holds text in only one of the two
  // must be read as text in both.
  void append(const Frame& other);

  // For readers. The values of new rows are not set.
  void resize(std::size_t rows);
  std::span<double> mutable_row(std::size_t i) {
    return {blocks_[i >> shift_].get() + (i & mask_) * columns_.size(), columns_.size()};
  }
  FrameColumn& mutable_column(std::size_t i) { return columns_[i]; }
  // From `row` on, rows are on successive lines, starting with `line`. Call it in the order of rows.
  void mark_line(std::size_t row, std::size_t line);

 private:
  struct LineMark {
    std::size_t row, line;
  };
  // The rows of one file, from `first` on.
  struct Part {
    std::string source;
    std::size_t first = 0;
    std::vector<LineMark> line_marks = {};  // rows counted from its first
    std::size_t line_of(std::size_t row) const;
  };
  const Part& part_of(std::size_t row) const;

  std::string source_;
  std::vector<FrameColumn> columns_;
  std::size_t rows_ = 0;
  unsigned shift_ = 0;  // a block holds 2^shift rows
  std::size_t mask_ = 0;
  std::vector<std::unique_ptr<double[]>> blocks_;
  std::vector<Part> parts_;
  FrameFormat format_;
  std::optional<Images> images_;
};

// irn::DataError with file and line unless both tables have the same columns in the same order: only such
// tables can be read as one.
void check_same_columns(const Frame& first, const Frame& other);

// A hash that tells whether two tables are the same: names, texts, every bit of every value, and their order.
// It does not include the name of the file, and it is no protection against deliberate collisions.
std::uint64_t fingerprint(const Frame& frame);

// More columns than this (images of 512 x 512) are treated as a mistake: a file that is not a table, a wrong
// delimiter.
inline constexpr std::size_t max_frame_columns = std::size_t{1} << 18;

}  // namespace irn
