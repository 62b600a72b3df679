#include "irn/network/image_operators.h"

#include <charconv>

#include "irn/base/error.h"

namespace irn {
namespace {

constexpr std::size_t largest_side = 4096;  // of kernels, strides and the like

// "5", then "x5", then letters with a number each.
class Sizes {
 public:
  Sizes(std::string_view name, std::string_view text) : name_(name), text_(text), rest_(text) {}
  bool done() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::size_t number(const char* what, std::size_t least) {
    std::size_t value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc() || value < least || value > largest_side)
      fail(std::string("expected ") + what + ", " + std::to_string(least) + " to " +
           std::to_string(largest_side) + ", at '" + std::string(rest_) + "'");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("operator " + std::string(name_) + std::string(text_) + ": " + what);
  }

 private:
  std::string_view name_, text_, rest_;
};

std::size_t side_of(std::string_view name, std::string_view text) {
  Sizes sizes(name, text);
  const std::size_t side = sizes.number("the side of a square", 2);
  if (!sizes.done()) sizes.fail("takes one number, as in " + std::string(name) + "2");
  return side;
}

void need_images(const std::string& text, const ImageShape& from, const ImageShape& to) {
  if (from.none() || to.none())
    throw Error(text + " needs images at both ends, but the layer it " +
                (from.none() ? "comes from" : "leads to") +
                " has no shape; write its size as channels x height x width, like 32x14x14");
}

void need_made(const std::string& text, const ImageShape& from, const ImageShape& made,
               const ImageShape& to) {
  if (made == to) return;
  throw Error(text + " makes " + with_channels(made) + " of " + with_channels(from) +
              ", but leads to a layer of " + with_channels(to));
}

// Squares of side x side, each channel by itself.
ConvolutionShape squares(const ImageShape& large, const ImageShape& small, std::size_t side) {
  return {large.channels,
          large.height,
          large.width,
          small.channels,
          small.height,
          small.width,
          side,
          side,
          side,
          0,
          0,
          1,
          large.channels};
}

}  // namespace

Convolution Convolution::parse(std::string_view text) {
  Sizes sizes(name, text);
  Convolution c;
  c.kernel_height = c.kernel_width = sizes.number("the size of a kernel", 1);
  if (sizes.take('x')) c.kernel_width = sizes.number("the width of a kernel", 1);
  while (!sizes.done()) {
    if (sizes.take('s'))
      c.stride = sizes.number("a stride", 1);
    else if (sizes.take('p'))
      c.padding = sizes.number("a padding", 0);
    else if (sizes.take('d'))
      c.dilation = sizes.number("a dilation", 1);
    else if (sizes.take('g'))
      c.groups = sizes.number("a number of groups", 1);
    else
      sizes.fail(
          "behind the kernel come s (stride), p (padding), d (dilation) and g (groups), each with a number");
  }
  return c;
}

std::string Convolution::sizes() const {
  std::string text = std::to_string(kernel_height);
  if (kernel_width != kernel_height) text += "x" + std::to_string(kernel_width);
  if (stride != 1) text += "s" + std::to_string(stride);
  if (padding) text += "p" + std::to_string(*padding);
  if (dilation != 1) text += "d" + std::to_string(dilation);
  if (groups != 1) text += "g" + std::to_string(groups);
  return text;
}

ImageShape Convolution::made_of(const ImageShape& image, std::size_t channels) const {
  const auto along = [&](const char* axis, std::size_t kernel, std::size_t size) {
    const std::size_t reach = dilation * (kernel - 1), border = padding.value_or(reach / 2);
    if (border > reach)
      throw Error(text() + " has a padding of " + std::to_string(border) +
                  ", at which places see nothing of the image; at most " + std::to_string(reach) +
                  " makes sense");
    if (size + 2 * border < reach + 1)
      throw Error(text() + " is larger than the image of " + with_channels(image) +
                  ": its kernel reaches over " + std::to_string(reach + 1) + " entries of the " + axis +
                  ", which has " + std::to_string(size) +
                  (border > 0 ? " and a padding of " + std::to_string(border) : ""));
    // Images of one place, to which strides of deep networks lead, may have a border that sees nothing of them.
    constexpr std::size_t widest_around_one = 256;
    const std::string of_size = " of the " + std::string(axis) + ", which has " + std::to_string(size);
    if (border >= (size > 1 ? size : widest_around_one))
      throw Error(text() + " is larger than the image of " + with_channels(image) + ": what lies " +
                  std::to_string(border) + " from the middle of its kernel sees nothing" + of_size);
    if (size > 1 && stride > size)
      throw Error(text() + " leaves one place of the image of " + with_channels(image) + ": a stride of " +
                  std::to_string(stride) + " goes beyond all entries" + of_size);
    return (size + 2 * border - reach - 1) / stride + 1;
  };
  if (image.channels % groups != 0 || channels % groups != 0)
    throw Error(text() + " divides " + std::to_string(image.channels) + " and " + std::to_string(channels) +
                " channels into " + std::to_string(groups) + " groups, which leaves some over");
  return {channels, along("height", kernel_height, image.height), along("width", kernel_width, image.width)};
}

Convolution Convolution::between(const ImageShape& first, const ImageShape& second) const {
  need_images(text(), first, second);
  need_made(text(), first, made_of(first, second.channels), second);
  Convolution result = *this;
  result.from = first, result.to = second;
  return result;
}

ConvolutionShape Convolution::geometry() const {
  return {from.channels,
          from.height,
          from.width,
          to.channels,
          to.height,
          to.width,
          kernel_height,
          kernel_width,
          stride,
          padding.value_or(dilation * (kernel_height - 1) / 2),
          padding.value_or(dilation * (kernel_width - 1) / 2),
          dilation,
          groups};
}

std::vector<Factor> Convolution::factors(std::size_t rows, std::size_t cols) const {
  return {{.kind = Factor::Kind::convolution, .rows = rows, .cols = cols, .convolution = geometry()}};
}

double Convolution::fan_in(std::size_t) const { return static_cast<double>(geometry().numbers_a_channel()); }

TransposedConvolution TransposedConvolution::between(const ImageShape& first,
                                                     const ImageShape& second) const {
  need_images(text(), first, second);
  const ImageShape undone = of.made_of(second, first.channels);
  if (undone != first)
    throw Error(text() + " undoes " + of.text() + ", which makes " + to_text(undone) + " of the layer of " +
                to_text(second) + " it leads to, but comes from one of " + to_text(first));
  return {of.between(second, first)};
}

std::vector<Factor> TransposedConvolution::factors(std::size_t rows, std::size_t cols) const {
  return {{.kind = Factor::Kind::convolution,
           .rows = rows,
           .cols = cols,
           .convolution = of.geometry(),
           .flipped = true}};
}

double TransposedConvolution::fan_in(std::size_t) const {
  const ConvolutionShape c = of.geometry();
  return static_cast<double>(c.group_outputs() * c.taps()) / static_cast<double>(c.stride * c.stride);
}

Pool Pool::parse(std::string_view sizes) {
  Pool pool;
  pool.side = side_of(name, sizes);
  return pool;
}
ImageShape Pool::made_of(const ImageShape& image) const {
  if (image.height < side || image.width < side)
    throw Error(text() + " takes the mean of squares of " + std::to_string(side) + " x " +
                std::to_string(side) + ", which leaves nothing of an image of " + with_channels(image));
  return {image.channels, image.height / side, image.width / side};
}
Pool Pool::between(const ImageShape& first, const ImageShape& second) const {
  need_images(text(), first, second);
  need_made(text(), first, made_of(first), second);
  Pool result = *this;
  result.from = first, result.to = second;
  return result;
}
std::vector<Factor> Pool::factors(std::size_t rows, std::size_t cols) const {
  return {{.kind = Factor::Kind::convolution,
           .rows = rows,
           .cols = cols,
           .convolution = squares(from, to, side),
           .every_number = 1.0 / static_cast<double>(side * side)}};
}

Upsample Upsample::parse(std::string_view sizes) {
  Upsample up;
  up.side = side_of(name, sizes);
  return up;
}
ImageShape Upsample::made_of(const ImageShape& image) const {
  return {image.channels, image.height * side, image.width * side};
}
Upsample Upsample::between(const ImageShape& first, const ImageShape& second) const {
  need_images(text(), first, second);
  need_made(text(), first, made_of(first), second);
  Upsample result = *this;
  result.from = first, result.to = second;
  return result;
}
std::vector<Factor> Upsample::factors(std::size_t rows, std::size_t cols) const {
  return {{.kind = Factor::Kind::convolution,
           .rows = rows,
           .cols = cols,
           .convolution = squares(to, from, side),
           .flipped = true,
           .every_number = 1.0}};
}

}  // namespace irn
