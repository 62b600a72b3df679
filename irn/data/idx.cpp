#include "irn/data/idx.h"

#include <optional>
#include <utility>
#include <vector>

#include "irn/data/array.h"
#include "irn/data/header_numbers-inl.h"

namespace irn {
namespace {

std::optional<ArrayItem> item_of(char code) {
  switch (code) {
    case 0x08:
      return ArrayItem::u1;
    case 0x09:
      return ArrayItem::i1;
    case 0x0B:
      return ArrayItem::i2;
    case 0x0C:
      return ArrayItem::i4;
    case 0x0D:
      return ArrayItem::f4;
    case 0x0E:
      return ArrayItem::f8;
    default:
      return std::nullopt;
  }
}

bool has_idx_start(std::string_view start) {
  return start.size() == 4 && start[0] == 0 && start[1] == 0 && item_of(start[2]) && start[3] > 0;
}

ArrayLayout read_header(ByteSource& source) {
  std::string start(4, '\0');
  read_exactly(source, start.data(), start.size());
  if (!has_idx_start(start)) throw DataError(source.name() + ": not an IDX file");
  ArrayLayout layout{.item = *item_of(start[2]), .big_endian = true};
  std::string sizes(4 * static_cast<std::size_t>(start[3]), '\0');
  read_exactly(source, sizes.data(), sizes.size());
  for (std::size_t at = 0; at < sizes.size(); at += 4) layout.shape.push_back(big_endian(sizes, at, 4));
  layout.header_bytes = start.size() + sizes.size();
  check_array(source, layout);
  return layout;
}

std::vector<FrameColumn> columns_of(const ArrayLayout& layout) {
  return array_columns(layout.shape.size() == 1 ? "label" : "pixel", layout);
}

}  // namespace

bool is_idx(ByteSource& source) { return has_idx_start(peek(source, 4)); }

Frame read_idx(ByteSource& source) {
  const ArrayLayout layout = read_header(source);
  Frame frame(source.name(), columns_of(layout));
  note_images(frame, layout, 0);
  read_array(source, layout, frame, 0);
  return frame;
}

Frame read_idx(ByteSource& images, ByteSource& labels) {
  const ArrayLayout image = read_header(images), label = read_header(labels);
  if (label.shape.size() != 1) throw DataError(labels.name() + ": labels have one dimension");
  if (image.rows() != label.rows())
    throw DataError(labels.name() + ": " + std::to_string(label.rows()) + " labels for " +
                    std::to_string(image.rows()) + " images in " + images.name());
  std::vector<FrameColumn> columns = columns_of(image);
  columns.push_back({"label"});
  Frame frame(images.name(), std::move(columns));
  note_images(frame, image, 0);
  read_array(images, image, frame, 0);
  read_array(labels, label, frame, frame.width() - 1);
  return frame;
}

}  // namespace irn
