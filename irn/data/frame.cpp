#include "irn/data/frame.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "irn/base/text.h"

namespace irn {
namespace {

// Large enough that finding the block costs nothing, small enough that the unused end of the last one does
// not matter.
constexpr std::size_t block_bytes = std::size_t{1} << 19;

void check_columns(const std::string& source, const std::vector<FrameColumn>& columns) {
  if (columns.empty()) throw DataError(source + ": no columns");
  if (columns.size() > max_frame_columns)
    throw DataError(source + ": " + std::to_string(columns.size()) + " columns, at most " +
                    std::to_string(max_frame_columns) + " can be read; is this a table?");
  std::unordered_set<std::string_view> names;
  for (const FrameColumn& column : columns)
    if (!names.insert(column.name).second)
      throw DataError(source + ": two columns are named '" + column.name + "'; rename one of them");
}

}  // namespace

Frame::Frame(std::string source, std::vector<FrameColumn> columns)
    : source_(std::move(source)), columns_(std::move(columns)), parts_{Part{source_}} {
  check_columns(source_, columns_);
  while ((columns_.size() * sizeof(double) << (shift_ + 1)) <= block_bytes) ++shift_;
  mask_ = (std::size_t{1} << shift_) - 1;
}

bool Frame::has(std::string_view name) const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const auto& c) { return c.name == name; });
}

std::size_t Frame::find(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].name == name) return i;
  std::vector<std::string_view> names;
  for (const FrameColumn& column : columns_) names.push_back(column.name);
  constexpr std::size_t shown = 20;  // more names would hide the message
  if (names.size() <= shown) throw DataError(source_ + ": " + unknown_name("column", name, names));
  const std::string_view meant = closest(name, names);
  throw DataError(source_ + ": unknown column \"" + std::string(name) + "\"" +
                  (meant.empty() ? "." : ": did you mean \"" + std::string(meant) + "\"?") + " There are " +
                  std::to_string(names.size()) + ", from \"" + std::string(names.front()) + "\" to \"" +
                  std::string(names.back()) + "\"");
}

void Frame::resize(std::size_t rows) {
  const std::size_t blocks = (rows + mask_) >> shift_;
  while (blocks_.size() < blocks)
    blocks_.push_back(std::make_unique_for_overwrite<double[]>(columns_.size() << shift_));
  blocks_.resize(blocks);
  rows_ = rows;
}

void Frame::mark_line(std::size_t row, std::size_t line) {
  Part& part = parts_.back();
  row -= part.first;
  if (part.line_marks.empty() || part.line_of(row) != line) part.line_marks.push_back({row, line});
}

std::size_t Frame::Part::line_of(std::size_t row) const {
  const auto after = std::upper_bound(line_marks.begin(), line_marks.end(), row,
                                      [](std::size_t r, const LineMark& mark) { return r < mark.row; });
  const LineMark& mark = *std::prev(after);
  return mark.line + (row - mark.row);
}

const Frame::Part& Frame::part_of(std::size_t row) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), row,
                                      [](std::size_t r, const Part& part) { return r < part.first; });
  return *std::prev(after);
}

std::string Frame::place(std::size_t row) const {
  const Part& part = part_of(row);
  row -= part.first;
  if (part.line_marks.empty()) return part.source + ", row " + std::to_string(row) + " (counted from 0)";
  return part.source + ", line " + std::to_string(part.line_of(row));
}

namespace {

// For each text of `more`, its number in the joined list.
std::vector<double> joined_texts(std::vector<std::string>& all, const std::vector<std::string>& more) {
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < all.size(); ++i) known.emplace(all[i], i);
  std::vector<double> codes;
  for (const std::string& text : more) {
    const auto [found, added] = known.emplace(text, all.size());
    if (added) all.push_back(text);
    codes.push_back(static_cast<double>(found->second));
  }
  return codes;
}

}  // namespace

void check_same_columns(const Frame& first, const Frame& other) {
  const std::size_t line = other.format().header_line;
  const std::string where = other.source() + (line > 0 ? ", line " + std::to_string(line) : "") + ": ",
                    what = "; files that are read as one have the same columns in the same order";
  if (first.images() && other.images() && first.images()->shape != other.images()->shape)
    throw DataError(where + "images of " + to_text(other.images()->shape) + " where " + first.source() +
                    " has images of " + to_text(first.images()->shape) + "; bring them to one size");
  if (first.width() != other.width())
    throw DataError(where + std::to_string(other.width()) + " columns where " + first.source() + " has " +
                    std::to_string(first.width()) + what);
  for (std::size_t c = 0; c < first.width(); ++c)
    if (first.columns()[c].name != other.columns()[c].name)
      throw DataError(where + "column " + std::to_string(c + 1) + " is '" + other.columns()[c].name +
                      "' where " + first.source() + " has '" + first.columns()[c].name + "'" + what);
}

void Frame::append(const Frame& other) {
  check_same_columns(*this, other);
  std::vector<std::vector<double>> codes(width());
  for (std::size_t c = 0; c < width(); ++c)
    if (columns_[c].text) codes[c] = joined_texts(columns_[c].categories, other.columns_[c].categories);
  const std::size_t before = rows_;
  resize(before + other.rows_);
  for (std::size_t i = 0; i < other.rows_; ++i) {
    const std::span<double> to = mutable_row(before + i);
    std::copy(other.row(i).begin(), other.row(i).end(), to.begin());
    for (std::size_t c = 0; c < codes.size(); ++c)
      if (!codes[c].empty() && !std::isnan(to[c])) to[c] = codes[c][static_cast<std::size_t>(to[c])];
  }
  for (const Part& part : other.parts_) {
    parts_.push_back(part);
    parts_.back().first += before;
  }
  if (other.format_.decimal != '.') format_.decimal = other.format_.decimal;
}

namespace {

// Each word is multiplied by an odd number (2^64 over the golden ratio), and its high half is folded onto the
// low one. Both can be undone, so a difference in one word never cancels itself.
struct Mixer {
  std::uint64_t state = 0;
  void add(std::uint64_t word) {
    state = (state ^ word) * 0x9E3779B97F4A7C15u;
    state ^= state >> 32;
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
};

}  // namespace

std::uint64_t fingerprint(const Frame& frame) {
  Mixer mixer;
  mixer.add(frame.rows());
  for (const FrameColumn& column : frame.columns()) {
    mixer.add(column.name);
    mixer.add(column.categories.size());
    for (const std::string& text : column.categories) mixer.add(text);
  }
  for (std::size_t i = 0; i < frame.rows(); ++i)
    for (const double value : frame.row(i)) mixer.add(std::bit_cast<std::uint64_t>(value));
  return mixer.state;
}

}  // namespace irn
