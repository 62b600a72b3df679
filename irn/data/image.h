// Rows, inputs and layers that are images: channels x height x width numbers, of which number
// (channel * height + line) * width + column is entry [channel][line][column].
//   "28x28"     height x width of images in grey
//   "3x32x32"   channels x height x width
// Arrays in files have them as n x h x w, n x c x h x w or n x h x w x c. Of the latter two, the channels are the smaller of the outer
// numbers; where they stand last, readers put them first. So what comes after a reader knows one order only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "irn/base/text_form.h"

namespace irn {

struct ImageShape {
  std::size_t channels = 0, height = 0, width = 0;

  bool none() const { return channels == 0; }  // of what is no image, or one of unknown shape
  std::size_t pixels() const { return height * width; }
  std::size_t size() const { return channels * pixels(); }
  bool operator==(const ImageShape&) const = default;
};

// Throws irn::Error for a text that names no shape, and for more numbers than a table has columns.
template <>
ImageShape from_text<ImageShape>(std::string_view text);
std::string to_text(const ImageShape& shape);        // one channel is left out
std::string with_channels(const ImageShape& shape);  // "1x28x28": as the text of a network has it

// The images that the rows of an array are, by its shape, whose first number counts rows; nothing if they are none (a line is no image).
struct ArrayImages {
  ImageShape shape;
  bool channels_last = false;
};
std::optional<ArrayImages> images_of(std::span<const std::uint64_t> array_shape);

}  // namespace irn
