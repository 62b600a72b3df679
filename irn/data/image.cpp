#include "irn/data/image.h"

#include <vector>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/data/frame.h"

namespace irn {
namespace {

[[noreturn]] void refuse(std::string_view text, const char* why) {
  throw Error("\"" + std::string(text) + "\" is no shape of images" + why +
              "; write it like 28x28 or, with channels in front, 3x32x32");
}

}  // namespace

template <>
ImageShape from_text<ImageShape>(std::string_view text) {
  std::vector<std::size_t> sizes;
  for (std::string_view rest = text;;) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    std::size_t size = 0;
    if (!read_value(rest.substr(0, end), size)) refuse(text, "");
    if (size == 0 || size > max_frame_columns) refuse(text, ": a size is 1 to 262144");
    sizes.push_back(size);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (sizes.size() != 2 && sizes.size() != 3) refuse(text, ": it has two or three sizes");
  const std::size_t lines = sizes.size() - 2;
  const ImageShape shape{lines == 1 ? sizes[0] : 1, sizes[lines], sizes[lines + 1]};
  if (shape.pixels() > max_frame_columns || shape.size() > max_frame_columns)
    refuse(text, ": it has more than 262144 pixels");
  return shape;
}

std::string to_text(const ImageShape& shape) {
  const std::string sides = std::to_string(shape.height) + "x" + std::to_string(shape.width);
  return shape.channels == 1 ? sides : std::to_string(shape.channels) + "x" + sides;
}
std::string with_channels(const ImageShape& shape) {
  return std::to_string(shape.channels) + "x" + std::to_string(shape.height) + "x" +
         std::to_string(shape.width);
}

std::optional<ArrayImages> images_of(std::span<const std::uint64_t> sizes) {
  ArrayImages found;
  ImageShape& shape = found.shape;
  if (sizes.size() == 3) shape = {1, sizes[1], sizes[2]};
  if (sizes.size() == 4) {
    found.channels_last = sizes[3] < sizes[1];
    shape = found.channels_last ? ImageShape{sizes[3], sizes[1], sizes[2]}
                                : ImageShape{sizes[1], sizes[2], sizes[3]};
  }
  if (shape.height < 2 || shape.width < 2) return {};
  return found;
}

}  // namespace irn
