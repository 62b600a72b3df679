// CSV as it arrives: the first byte chooses options, the second how the rest, the file, is cut. However it is cut, the rows are those of the whole
// table with the same columns as text, on the same lines, or both are refused.
#include <algorithm>
#include <cstring>
#include <memory>

#include "irn/data/csv_stream.h"
#include "tests/fuzz/fuzz.h"

namespace irn::fuzz {
namespace {

// Gives out its bytes a few at a time, as a pipe may.
class Trickle : public ByteSource {
 public:
  Trickle(std::string_view bytes, std::size_t step) : ByteSource("f"), bytes_(bytes), step_(step) {}
  std::size_t read(char* out, std::size_t size) override { return read_some(out, size); }
  std::size_t read_some(char* out, std::size_t size) override {
    const std::string_view piece = bytes_.substr(0, std::min(size, step_));
    std::copy(piece.begin(), piece.end(), out);
    bytes_.remove_prefix(piece.size());
    return piece.size();
  }
  bool seek(std::uint64_t) override { return false; }
  std::optional<std::uint64_t> size() const override { return {}; }

 private:
  std::string_view bytes_;
  std::size_t step_;
};

// A row as one text: its place and its cells.
std::string told(const Frame& frame, std::size_t row) {
  std::string text = frame.place(row);
  for (std::size_t c = 0; const double value : frame.row(row)) {
    const FrameColumn& column = frame.columns()[c++];
    char bits[sizeof value];
    std::memcpy(bits, &value, sizeof value);
    text += column.text && !std::isnan(value) ? "\ntext " + column.categories[static_cast<std::size_t>(value)]
            : std::isnan(value)               ? "\nmissing"
                                              : "\nnumber " + std::string(bits, sizeof bits);
  }
  return text;
}

std::optional<std::vector<std::string>> rows_of_stream(std::string_view file, const CsvOptions& options,
                                                       std::size_t step, ThreadPool& pool,
                                                       std::string& refusal) {
  return attempt(
      [&] {
        CsvStream stream(std::make_unique<Trickle>(file, step), options, {});
        std::vector<std::string> rows;
        const Frame head = stream.head();
        require(head.rows() == 0 && head.width() > 0, "the head has columns and no rows");
        while (const std::optional<Frame> some = stream.next(pool)) {
          require_sound(*some);
          require(some->width() == head.width(), "all stretches have the columns of the head");
          for (std::size_t r = 0; r < some->rows(); ++r) rows.push_back(told(*some, r));
        }
        return rows;
      },
      refusal);
}

}  // namespace
}  // namespace irn::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace irn;
  if (size < 2) return 0;
  static ThreadPool pool(1);
  CsvOptions options{.header = data[0] % 2 ? HeaderLine::present : HeaderLine::absent,
                     .delimiter = "\0,;\t|"[data[0] / 2 % 5],
                     .decimal = data[0] & 16 ? ',' : '.',
                     .thousands = "\0\0'."[data[0] / 32 % 4]};
  if (options.decimal == '.' && options.thousands == '.') options.thousands = '\0';
  const std::string_view file = fuzz::text(data + 2, size - 2);
  std::string why_whole, why_stream;
  MemorySource source("f", file);
  const auto whole = fuzz::attempt([&] { return read_csv(source, options, pool); }, why_whole);
  if (whole)
    for (const FrameColumn& column : whole->columns())
      if (column.text) options.text.push_back(column.name);  // a stretch of it may look like numbers
  const auto rows = fuzz::rows_of_stream(file, options, 1 + data[1] % 64, pool, why_stream);
  if (!whole) {
    // A header without rows is a table there; a number that is infinite is refused before its column turns out to hold text, or not; and
    // what is refused for any of that is called binary if it looks so.
    const auto said = [&](const char* words) { return why_whole.find(words) != why_whole.npos; };
    if (!said("no rows") && !said("is infinite") && !said("binary data"))
      fuzz::require(!rows, "what is refused whole is refused as it arrives");
    return 0;
  }
  fuzz::require(rows.has_value(), "what is read whole is read as it arrives");
  fuzz::require(rows->size() == whole->rows(), "no row is lost");
  for (std::size_t r = 0; r < rows->size(); ++r)
    fuzz::require((*rows)[r] == fuzz::told(*whole, r), "a row is the row of the whole table");
  return 0;
}
