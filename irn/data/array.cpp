#include "irn/data/array.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace irn {
namespace {

// a * b or, on overflow, the largest number, which is more than any file holds.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
}

std::string shape_text(const ArrayLayout& layout) {
  std::string text;
  for (const std::uint64_t n : layout.shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

// Half precision, IEEE 754 binary16: (-1)^s 2^(e-15) (1 + m/1024); e = 0: (-1)^s 2^-14 m/1024; e = 31:
// infinite or NaN.
struct Half {
  std::uint16_t bits;
  explicit operator double() const {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent > 0 ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
    if (exponent == 31)
      value = mantissa ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    return bits >> 15 ? -value : value;
  }
};

template <class Item>
void decode(const char* bytes, std::size_t count, bool swap, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    char item[sizeof(Item)];
    std::memcpy(item, bytes + i * sizeof(Item), sizeof(Item));
    if (swap) std::reverse(item, item + sizeof(Item));
    out[i] = static_cast<double>(std::bit_cast<Item>(item));
  }
}

void decode(const ArrayLayout& layout, const char* bytes, std::size_t count, double* out) {
  const bool swap = layout.big_endian != (std::endian::native == std::endian::big);
  switch (layout.item) {
    case ArrayItem::i1:
      return decode<std::int8_t>(bytes, count, swap, out);
    case ArrayItem::i2:
      return decode<std::int16_t>(bytes, count, swap, out);
    case ArrayItem::i4:
      return decode<std::int32_t>(bytes, count, swap, out);
    case ArrayItem::i8:
      return decode<std::int64_t>(bytes, count, swap, out);
    case ArrayItem::u1:
      return decode<std::uint8_t>(bytes, count, swap, out);
    case ArrayItem::u2:
      return decode<std::uint16_t>(bytes, count, swap, out);
    case ArrayItem::u4:
      return decode<std::uint32_t>(bytes, count, swap, out);
    case ArrayItem::u8:
      return decode<std::uint64_t>(bytes, count, swap, out);
    case ArrayItem::f2:
      return decode<Half>(bytes, count, swap, out);
    case ArrayItem::f4:
      return decode<float>(bytes, count, swap, out);
    case ArrayItem::f8:
      return decode<double>(bytes, count, swap, out);
  }
}

// Puts values into the frame. They come in the order of the file.
class Filler {
 public:
  Filler(const ArrayLayout& layout, Frame& frame, std::size_t first)
      : by_column_(layout.column_major && layout.columns() > 1),
        rows_(layout.rows()),
        columns_(layout.columns()),
        frame_(frame),
        first_(first) {
    if (const std::optional<ArrayImages> images = layout.images(); images && images->channels_last)
      channels_ = images->shape.channels, pixels_ = images->shape.pixels();
    if (by_column_ && frame_.rows() < rows_) frame_.resize(rows_);
  }

  void put(const double* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (row_ == frame_.rows()) frame_.resize(row_ + 1);
      if (std::isinf(values[i])) fail_infinite();
      if (std::abs(values[i]) >= largest_exact && frame_.columns()[place()].exact) fail_inexact();
      frame_.mutable_row(row_)[place()] = values[i];
      by_column_ ? step(row_, rows_, column_) : step(column_, columns_, row_);
    }
  }

 private:
  // The column of the frame. Channels that are last in the file are first here.
  std::size_t place() const {
    return first_ + (channels_ == 1 ? column_ : column_ % channels_ * pixels_ + column_ / channels_);
  }
  static void step(std::size_t& inner, std::size_t limit, std::size_t& outer) {
    if (++inner < limit) return;
    inner = 0;
    ++outer;
  }
  [[noreturn]] void fail_infinite() const {
    throw DataError(frame_.place(row_) + ", column '" + frame_.columns()[place()].name +
                    "': an infinite value; correct it or put NaN for a missing one");
  }

  [[noreturn]] void fail_inexact() const {
    throw DataError(frame_.place(row_) + ", column '" + frame_.columns()[place()].name +
                    "': a class by a whole number beyond 2^53, which would not stay what it is; number the "
                    "classes, or save them as CSV");
  }

  static constexpr double largest_exact = 9007199254740992;  // 2^53
  const bool by_column_;
  const std::size_t rows_, columns_;
  Frame& frame_;
  const std::size_t first_;
  std::size_t row_ = 0, column_ = 0;
  std::size_t channels_ = 1, pixels_ = 0;  // set only if channels are last
};

}  // namespace

std::size_t item_bytes(ArrayItem item) {
  constexpr std::size_t bytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
  return bytes[static_cast<std::size_t>(item)];
}

std::uint64_t ArrayLayout::rows() const { return shape.empty() ? 1 : shape.front(); }

std::uint64_t ArrayLayout::columns() const {
  std::uint64_t count = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) count = product(count, shape[i]);
  return count;
}

void check_array(const ByteSource& source, const ArrayLayout& layout) {
  const std::string what = source.name() + ": an array of " + shape_text(layout);
  if (layout.shape.empty()) throw DataError(source.name() + ": a single number; a table needs rows");
  if (layout.rows() == 0 || layout.columns() == 0) throw DataError(what + " holds no values");
  if (layout.columns() > max_frame_columns) throw DataError(what + " has too many columns to be a table");
  if (layout.column_major && layout.shape.size() > 2)
    throw DataError(what + " in Fortran order cannot be read; save it in C order (numpy.ascontiguousarray)");
  const std::uint64_t bytes = product(product(layout.rows(), layout.columns()), item_bytes(layout.item));
  if (!source.size()) {
    if (layout.column_major)
      throw DataError(what + " in Fortran order cannot be read from a pipe; save it to a file");
    return;
  }
  const std::uint64_t there = *source.size() - std::min(*source.size(), layout.header_bytes);
  if (bytes != there)
    throw DataError(
        what + (bytes > there ? " needs more bytes than the file has: truncated" : " leaves bytes over") +
        "; copy or download the file again");
}

std::vector<FrameColumn> array_columns(const std::string& name, const ArrayLayout& layout) {
  std::vector<FrameColumn> columns;
  const std::uint64_t count = layout.columns();
  for (std::uint64_t i = 0; i < count; ++i) columns.push_back({count == 1 ? name : name + std::to_string(i)});
  return columns;
}

void note_images(Frame& frame, const ArrayLayout& layout, std::size_t first) {
  if (const std::optional<ArrayImages> found = layout.images())
    frame.set_images(Frame::Images{found->shape, first});
}

void read_array(ByteSource& source, const ArrayLayout& layout, Frame& frame, std::size_t first) {
  constexpr std::size_t block = 8192;  // items: in the first-level cache
  const std::size_t bytes = item_bytes(layout.item);
  std::vector<char> packed(block * bytes);
  std::vector<double> values(block);
  Filler filler(layout, frame, first);
  for (std::uint64_t left = product(layout.rows(), layout.columns()); left > 0;) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left, block));
    read_exactly(source, packed.data(), count * bytes);
    decode(layout, packed.data(), count, values.data());
    filler.put(values.data(), count);
    left -= count;
  }
}

}  // namespace irn
