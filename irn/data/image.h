// Rows, inputs and layers that are images: channels x height x width numbers. Entry [channel][line][column]
// is number (channel * height + line) * width + column.
//   "28x28"     height x width of images in grey
//   "3x32x32"   channels x height x width
// In files, arrays of images are n x h x w, n x c x h x w or n x h x w x c. To tell the last two apart: the
// smaller of the second and the last number is the channels. Readers put channels first, so that all other
// code knows one order only.
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

  bool none() const { return channels == 0; }  // not an image, or one of unknown shape
  std::size_t pixels() const { return height * width; }
  std::size_t size() const { return channels * pixels(); }
  bool operator==(const ImageShape&) const = default;
};

// Throws irn::Error if the text is not a shape, and for more numbers than a table may have columns.
template <>
ImageShape from_text<ImageShape>(std::string_view text);
std::string to_text(const ImageShape& shape);        // a single channel is left out
std::string with_channels(const ImageShape& shape);  // "1x28x28": as in the text of a network

// The shape of the images in the rows of an array, from the array's shape, whose first number counts rows.
// Nothing if the rows are not images (a single line is not an image).
struct ArrayImages {
  ImageShape shape;
  bool channels_last = false;
};
std::optional<ArrayImages> images_of(std::span<const std::uint64_t> array_shape);

}  // namespace irn
