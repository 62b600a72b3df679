#include "irn/data/csv_stream.h"

#include <algorithm>
#include <utility>

#include "irn/data/csv_chunk-inl.h"
#include "irn/data/csv_join-inl.h"
#include "irn/data/csv_layout-inl.h"
#include "irn/data/csv_window-inl.h"

namespace irn {
namespace {

constexpr std::size_t at_once = std::size_t{1} << 20;  // bytes asked for; fewer may have arrived

bool has_all(const std::vector<FrameColumn>& columns, std::span<const std::string> names) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(), [&](const FrameColumn& c) { return c.name == name; });
  });
}

}  // namespace

struct CsvStream::Inside {
  Inside(std::unique_ptr<ByteSource> from, CsvOptions chosen, std::span<const std::string> names)
      : source(std::move(from)), options(std::move(chosen)), known(names.begin(), names.end()) {}

  // Appends the bytes that have arrived. False at the end; then the text ends with a newline.
  bool read_more() {
    if (ended) return false;
    const std::size_t got = source->read_some(arrived.data(), arrived.size());
    text.append(arrived.data(), got);
    if (!layout) binary = csv::looks_binary(text);
    ended = got == 0;
    if (ended && !text.empty() && text.back() != '\n') text += '\n';
    if (text.size() > 4 * options.block_bytes)
      throw DataError(source->name() + ": a row of more than " + std::to_string(4 * options.block_bytes) +
                      " bytes; is this a table?");
    return !ended;
  }

  // The end of the last whole record; the text begins with a record.
  std::size_t whole_records() const {
    std::size_t end = 0;
    for (std::size_t next = 0; (next = csv::record_end(text, end, end)) != text.npos;) end = next;
    return end;
  }

  void begin() {
    if (layout) return;
    while (read_more() && !first_record_tells()) continue;
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    layout = csv::find_layout(source->name(), text, options);
    if (options.header == HeaderLine::detect && !layout->header) {
      CsvOptions named = options;
      named.header = HeaderLine::present;
      const csv::Layout other = csv::find_layout(source->name(), text, named);
      if (!known.empty() && has_all(other.columns, known)) layout = other;
    }
    lines = layout->skipped_lines;
    text.erase(0, layout->skipped_bytes);
  }

  // Whether a header can be told from a first row, by its names or by the record below it. Skips a byte order
  // mark.
  bool first_record_tells() const {
    const std::string_view body = std::string_view(text).substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    csv::refuse_utf16(source->name(), body);
    const std::size_t start = std::min(body.find_first_not_of("\r\n"), body.size());
    const std::size_t first = csv::record_end(body, start, start);
    if (first == body.npos) return false;
    if (options.header != HeaderLine::detect || csv::record_end(body, first, first) != body.npos) return true;
    CsvOptions named = options;
    named.header = HeaderLine::present;
    return !known.empty() && has_all(csv::find_layout(source->name(), body, named).columns, known);
  }

  FrameFormat format() const {
    return {layout->header_line, layout->dialect.decimal, layout->dialect.thousands};
  }

  Frame parse(std::string_view rows, ThreadPool& threads) {
    csv::Join join(source->name(), layout->columns, lines);
    const std::vector<std::string_view> pieces = csv::cut(rows, options.piece_bytes, true);
    std::vector<csv::Chunk> chunks(pieces.size());
    const auto parse_all = [&] {
      threads.for_each(pieces.size(), [&](std::size_t i, std::size_t) {
        chunks[i].parse(pieces[i], layout->dialect, join.columns());
      });
    };
    parse_all();
    if (join.learn_text_columns(chunks)) parse_all();
    join.refuse_mistakes(chunks, pieces);
    join.say_format(format());
    join.add(chunks, threads);
    lines += static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n'));
    return join.take();
  }

  std::optional<Frame> next(ThreadPool& threads) {
    begin();
    for (;;) {
      if (const std::size_t end = whole_records(); end > 0) {
        Frame frame = parse(std::string_view(text).substr(0, end), threads);
        text.erase(0, end);
        if (frame.rows() > 0) return frame;
      }
      if (!read_more() && text.empty()) return std::nullopt;
      if (ended && whole_records() == 0) {  // a quote that is never closed: the parser says so
        Frame frame = parse(text, threads);
        text.clear();
        return frame;
      }
    }
  }

  std::unique_ptr<ByteSource> source;
  CsvOptions options;
  std::vector<std::string> known;
  std::optional<csv::Layout> layout;
  std::vector<char> arrived = std::vector<char>(at_once);  // the last bytes read
  std::string text;                                        // not yet parsed
  std::size_t lines = 0;
  bool ended = false, binary = false;
};

namespace {

// Returns what(). If that fails and the data is binary, the message says so and does not complain about its
// "lines".
template <class Stream, class Do>
auto with_text(Stream& stream, const Do& what) {
  try {
    return what();
  } catch (const DataError&) {
    if (stream.binary) csv::fail_binary(stream.source->name());
    throw;
  }
}

}  // namespace

CsvStream::CsvStream(std::unique_ptr<ByteSource> source, const CsvOptions& options,
                     std::span<const std::string> known)
    : inside_(std::make_unique<Inside>(std::move(source), options, known)) {
  inside_->source->forget();
}
CsvStream::~CsvStream() = default;

Frame CsvStream::head() {
  with_text(*inside_, [&] { inside_->begin(); });
  Frame head(inside_->source->name(), inside_->layout->columns);
  head.set_format(inside_->format());
  return head;
}

std::optional<Frame> CsvStream::next(ThreadPool& threads) {
  return with_text(*inside_, [&] { return inside_->next(threads); });
}

}  // namespace irn
