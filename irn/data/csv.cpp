#include "irn/data/csv.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "irn/data/csv_chunk-inl.h"
#include "irn/data/csv_join-inl.h"
#include "irn/data/csv_layout-inl.h"
#include "irn/data/csv_window-inl.h"

namespace irn {
namespace csv {
namespace {

constexpr std::size_t longest_record = 4;  // blocks

[[noreturn]] void fail_long_record(const std::string& source, std::size_t bytes) {
  throw DataError(source + ": a row of more than " + std::to_string(bytes) + " bytes; is this a table?");
}

void skip_byte_order_mark(const std::string& source, Window& window) {
  if (window.text().starts_with("\xEF\xBB\xBF")) window.advance(3);
  refuse_utf16(source, window.text());
}

class Reader {
 public:
  Reader(ByteSource& source, const CsvOptions& options, ThreadPool& threads)
      : source_(source), options_(options), threads_(threads) {}

  Frame read() {
    try {
      return read_text();
    } catch (const DataError&) {
      if (binary_) fail_binary(source_.name());
      throw;
    }
  }

 private:
  Frame read_text() {
    if (!read_once() && !(source_.seek(0) && read_once())) fail_second_reading();
    if (join_->rows() == 0)
      throw DataError(source_.name() + ": no rows below the header; a table needs at least one");
    return join_->take();
  }

  // False if a column turned out to hold text after rows with numbers in it were kept. The rest of the file
  // is then read only for the types of all columns.
  bool read_once() {
    Window window(source_, block_size());
    begin(window);
    bool complete = true;
    while (!window.text().empty()) {
      const std::vector<std::string_view> pieces = next_pieces(window);
      complete = read_pieces(pieces, complete);
      window.advance(static_cast<std::size_t>(pieces.back().end() - window.text().begin()));
    }
    return complete;
  }

  // A small file needs no large block.
  std::size_t block_size() const {
    constexpr std::size_t least = 64;
    const std::uint64_t wanted = std::max(options_.block_bytes, least);
    return static_cast<std::size_t>(std::min(wanted, source_.size().value_or(wanted) + least));
  }

  void begin(Window& window) {
    binary_ = looks_binary(window.text());
    skip_byte_order_mark(source_.name(), window);
    std::vector<FrameColumn> known;
    if (join_) known.assign(join_->columns().begin(), join_->columns().end());
    grow_until(window, [&] {
      return record_end(window.text(), 0, start_of_text(window.text())) != std::string::npos;
    });
    const Layout layout = find_layout(source_.name(), window.text(), options_);
    if (too_long_) fail_long_record(source_.name(), longest_record * options_.block_bytes);
    dialect_ = layout.dialect;
    join_.emplace(source_.name(), known.empty() ? layout.columns : known, layout.skipped_lines);
    join_->say_format({layout.header_line, dialect_.decimal, dialect_.thousands});
    window.advance(layout.skipped_bytes);
  }

  static std::size_t start_of_text(std::string_view text) {
    return std::min(text.find_first_not_of("\r\n"), text.size());
  }

  template <class Enough>
  void grow_until(Window& window, const Enough& enough) {
    while (!window.ended() && !enough()) {
      if (window.capacity() >= longest_record * options_.block_bytes) {
        window.close();
        too_long_ = true;
      } else {
        window.grow();
      }
    }
  }

  std::vector<std::string_view> next_pieces(Window& window) {
    std::vector<std::string_view> pieces;
    grow_until(window, [&] {
      pieces = cut(window.text(), options_.piece_bytes, false);
      return !pieces.empty();
    });
    return pieces.empty() ? cut(window.text(), options_.piece_bytes, true) : pieces;
  }

  bool read_pieces(const std::vector<std::string_view>& pieces, bool complete) {
    parse(pieces);
    if (join_->learn_text_columns(used(pieces))) {
      complete = complete && join_->rows() == 0;
      if (complete) parse(pieces);
    }
    refuse_long_record();
    join_->refuse_mistakes(used(pieces), pieces);
    if (complete)
      join_->add(used(pieces), threads_);
    else
      join_->pass_over(used(pieces));
    return complete;
  }

  // Usually a quote is not closed: then refuse_mistakes() says so.
  void refuse_long_record() const {
    const std::optional<Mistake>& mistake = chunks_.front().mistake();
    if (too_long_ && !(mistake && mistake->of_field))
      fail_long_record(source_.name(), longest_record * options_.block_bytes);
  }

  void parse(const std::vector<std::string_view>& pieces) {
    if (chunks_.size() < pieces.size()) chunks_.resize(pieces.size());
    threads_.for_each(pieces.size(), [&](std::size_t i, std::size_t) {
      chunks_[i].parse(pieces[i], dialect_, join_->columns());
    });
  }

  std::span<const Chunk> used(const std::vector<std::string_view>& pieces) const {
    return {chunks_.data(), pieces.size()};
  }

  [[noreturn]] void fail_second_reading() const {
    std::string names;
    for (const FrameColumn& column : join_->columns())
      if (column.text) names += (names.empty() ? "'" : ", '") + column.name + "'";
    throw DataError(
        source_.name() +
        ": a column of numbers turns out to hold text, and what was read is gone; save the data to a "
        "file, or name the columns that hold text: " +
        names);
  }

  ByteSource& source_;
  const CsvOptions& options_;
  ThreadPool& threads_;
  Dialect dialect_;
  bool too_long_ = false, binary_ = false;
  std::optional<Join> join_;   // once the names are known
  std::vector<Chunk> chunks_;  // kept from block to block for their memory
};

}  // namespace
}  // namespace csv

Frame read_csv(ByteSource& source, const CsvOptions& options, ThreadPool& threads) {
  return csv::Reader(source, options, threads).read();
}

}  // namespace irn
