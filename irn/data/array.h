// An array of numbers in a file, as in NPY and IDX: a type, a shape, then the values. The first index counts
// rows; all others together count columns.
// The file may claim any dimensions. They are checked against its size before memory is allocated; if the
// size is unknown (a pipe, gzip), the table grows with what arrives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "irn/data/byte_source.h"
#include "irn/data/frame.h"
#include "irn/data/image.h"

namespace irn {

enum class ArrayItem { i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8 };
std::size_t item_bytes(ArrayItem item);

struct ArrayLayout {
  ArrayItem item = ArrayItem::f4;
  bool big_endian = false;
  bool column_major = false;
  std::vector<std::uint64_t> shape = {};
  std::uint64_t header_bytes = 0;  // in front of the values

  std::uint64_t rows() const;
  std::uint64_t columns() const;
  std::optional<ArrayImages> images() const { return images_of(shape); }
};

// Refuses arrays without rows or columns, with too many columns, with sizes that overflow, and of another
// size than the source.
void check_array(const ByteSource& source, const ArrayLayout& layout);

// One column is called `name`; several are called name0, name1, ...
std::vector<FrameColumn> array_columns(const std::string& name, const ArrayLayout& layout);

// Marks the frame's columns from `first` on as images if the array's rows are images.
void note_images(Frame& frame, const ArrayLayout& layout, std::size_t first);

// Reads the values into the columns from `first` on; the frame gets as many rows as it needs. NaN is a
// missing value. Infinite values are refused, and in `exact` columns values of 2^53 or more. If images have
// their channels last, the frame has them first. The source must stand behind the header.
void read_array(ByteSource& source, const ArrayLayout& layout, Frame& frame, std::size_t first);

}  // namespace irn
