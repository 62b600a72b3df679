// The shape of an image: channels x height x width, as "3x32x32". Entry [channel][row][column] of it is number
// (channel * height + row) * width + column.
#pragma once

#include <cstddef>
#include <string>

namespace irn {

struct Shape {
  std::size_t channels = 0, height = 0, width = 0;
  bool none() const { return channels == 0; }  // of a layer, or of inputs, that is a plain list of numbers
  std::size_t plane() const { return height * width; }
  std::size_t size() const { return channels * plane(); }
  bool operator==(const Shape&) const = default;
};

inline std::string to_text(const Shape& shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" +
         std::to_string(shape.width);
}

}  // namespace irn
