// Puts together the pieces of a CSV file, parsed in parallel, in the order of the file: rows, lines and lists
// of texts.
// Texts are numbered by first appearance in the file, so that the result depends neither on the cuts nor on
// the threads.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "irn/base/threads.h"
#include "irn/data/csv_chunk-inl.h"
#include "irn/data/frame.h"

namespace irn::csv {

class Join {
 public:
  Join(const std::string& source, const std::vector<FrameColumn>& columns, std::size_t lines_before)
      : frame_(source, columns), texts_(columns.size()), line_(lines_before) {}

  // How the file is written, for Frame::format().
  void say_format(const FrameFormat& format) { frame_.set_format(format); }
  std::size_t rows() const { return frame_.rows(); }
  std::span<const FrameColumn> columns() const { return frame_.columns(); }
  // Marks the columns in which a chunk found text. Returns whether there are any.
  bool learn_text_columns(std::span<const Chunk> chunks);
  // irn::DataError for the first mistake in the order of the file.
  void refuse_mistakes(std::span<const Chunk> chunks, std::span<const std::string_view> pieces) const;
  void add(std::span<const Chunk> chunks, ThreadPool& threads);
  // Counts the lines of chunks, but drops their rows.
  void pass_over(std::span<const Chunk> chunks);
  // The table with its lists of texts.
  Frame take();

 private:
  // For each column: from the chunk's number of a text to the file's.
  using Codes = std::vector<std::vector<double>>;
  Codes join_texts(const Chunk& chunk);
  void copy(const Chunk& chunk, std::size_t first_row, const Codes& codes);
  [[noreturn]] void fail(const Mistake& mistake, std::size_t line) const;

  Frame frame_;
  std::vector<Texts> texts_;
  std::size_t line_;  // lines before the next chunk
};

}  // namespace irn::csv
