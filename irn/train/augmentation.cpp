#include "irn/train/augmentation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn {
namespace {

constexpr std::size_t spans = ImageChange::points - 3;

[[noreturn]] void refuse(const char* what) { throw Error("augmentation: " + std::string(what)); }

// Random numbers of one image: eight for the whole, two for each point of the lattice. Each image has a
// larger range than is drawn, so that one kind of change leaves the numbers of the others unchanged.
constexpr std::size_t blocks_of_image = 32;

class Numbers {
 public:
  Numbers(const Stream& stream, std::uint64_t image) : stream_(stream), first_(image * blocks_of_image) {}
  double uniform(std::size_t i) {  // between 0 and 1, neither included
    if (i / 4 != block_ || !drawn_) bits_ = stream_.block(first_ + i / 4), block_ = i / 4, drawn_ = true;
    return (double(bits_[i % 4]) + 0.5) * 0x1p-32;
  }
  double within(std::size_t i, double largest) { return largest * (2 * uniform(i) - 1); }

 private:
  const Stream& stream_;
  std::uint64_t first_;
  std::size_t block_ = 0;
  bool drawn_ = false;
  std::array<std::uint32_t, 4> bits_{};
};

}  // namespace

template <>
Augmentation from_text<Augmentation>(std::string_view text) {
  Augmentation all;
  if (text == "none") return all;
  std::vector<std::string_view> seen;
  for (std::string_view rest = text;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view setting = rest.substr(0, comma);
    const std::size_t equals = setting.find('=');
    if (equals == setting.npos || equals == 0 || equals + 1 == setting.size())
      throw Error("augmentation \"" + std::string(text) + "\": \"" + std::string(setting) +
                  "\" is not of the form key=value; write it like shift=2,rotate=10, or none");
    const std::string_view key = setting.substr(0, equals);
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      throw Error("augmentation \"" + std::string(text) + "\": \"" + std::string(key) + "\" is set twice");
    seen.push_back(key);
    set_field(all, key, setting.substr(equals + 1));
    if (comma == rest.size()) break;
    rest.remove_prefix(comma + 1);
  }
  check_augmentation(all);
  return all;
}

std::string to_text(const Augmentation& augmentation) {
  if (augmentation.none()) return "none";
  const std::string text = to_text<>(augmentation);
  return text.substr(Augmentation::name.size() + 1);
}

void check_augmentation(const Augmentation& a) {
  const auto is_size = [](double x) { return x >= 0 && std::isfinite(x); };
  if (!is_size(a.shift) || !is_size(a.elastic)) refuse("shift and elastic are pixels: 0 or more");
  if (!(a.rotate >= 0 && a.rotate <= 180)) refuse("rotate is in degrees: 0 to 180");
  if (!(a.scale >= 0 && a.scale <= 0.9)) refuse("scale is a share of the size: 0 to 0.9");
  if (!(a.shear >= 0 && a.shear <= 10)) refuse("shear is pixels sideways for one upwards: 0 to 10");
}

void check_augmentation(const Augmentation& a, const ImageShape& shape) {
  check_augmentation(a);
  const std::size_t longest = std::max(shape.height, shape.width),
                    shortest = std::min(shape.height, shape.width);
  if (std::max(a.shift, a.elastic) >= double(longest))
    throw Error("augmentation: " + std::string(a.shift >= double(longest) ? "shift" : "elastic") + "=" +
                write_value(std::max(a.shift, a.elastic)) + " moves images of " + to_text(shape) +
                " out of sight");
  if (a.cutout > 0 && a.cutout >= 2 * shortest)
    throw Error("augmentation: cutout=" + write_value(a.cutout) + " leaves nothing of images of " +
                to_text(shape));
}

ImageChange draw_change(const Augmentation& a, const ImageShape& shape, const Stream& stream,
                        std::uint64_t number) {
  Numbers numbers(stream, number);
  ImageChange change;
  change.shift[0] = numbers.within(0, a.shift), change.shift[1] = numbers.within(1, a.shift);
  const double angle = numbers.within(2, a.rotate) * std::numbers::pi / 180,
               size = 1 / (1 + numbers.within(3, a.scale)), shear = numbers.within(4, a.shear);
  const double turn = a.flip && numbers.uniform(5) < 0.5 ? -1 : 1, c = size * std::cos(angle),
               s = size * std::sin(angle);
  change.matrix[0] = turn * c, change.matrix[1] = shear * c - s;
  change.matrix[2] = turn * s, change.matrix[3] = shear * s + c;
  if (a.cutout > 0) {
    change.cutout = a.cutout;
    change.cut_left = static_cast<std::size_t>(numbers.uniform(6) * double(shape.width));
    change.cut_top = static_cast<std::size_t>(numbers.uniform(7) * double(shape.height));
  }
  change.bends = a.elastic > 0;
  constexpr std::size_t points = ImageChange::points * ImageChange::points;
  for (std::size_t i = 0; change.bends && i < 2 * points; ++i)
    change.bend[i / points][i % points] = numbers.within(8 + i, a.elastic);
  return change;
}

template <class T>
ImageChanger<T>::ImageChanger(const Augmentation& augmentation, const ImageShape& shape)
    : augmentation_(augmentation), shape_(shape), across_(spline(shape.width)), down_(spline(shape.height)) {
  check_augmentation(augmentation, shape);
}

template <class T>
typename ImageChanger<T>::Spline ImageChanger<T>::spline(std::size_t size) {
  Spline result;
  result.weights.resize(4 * size);
  for (std::size_t i = 0; i < size; ++i) {
    const double at = size > 1 ? double(spans) * double(i) / double(size - 1) : 0;
    const std::size_t span = std::min(static_cast<std::size_t>(at), spans - 1);
    while (result.begins.size() <= span) result.begins.push_back(i);
    const double t = at - double(span), s = 1 - t;
    const double weights[] = {s * s * s / 6, (4 - 6 * t * t + 3 * t * t * t) / 6,
                              (4 - 6 * s * s + 3 * s * s * s) / 6, t * t * t / 6};
    for (std::size_t k = 0; k < 4; ++k) result.weights[k * size + i] = static_cast<T>(weights[k]);
  }
  result.begins.resize(spans + 1, size);
  return result;
}

// With one more line and column, so that every pixel has a neighbour to its right and one below.
template <class T>
void ImageChanger<T>::copy_planes(const T* image, Scratch& scratch) const {
  const std::size_t width = shape_.width, lines = shape_.height + 1;
  scratch.planes.resize(shape_.channels * lines * (width + 1));
  T* to = scratch.planes.data();
  for (std::size_t c = 0; c < shape_.channels; ++c)
    for (std::size_t y = 0; y < lines; ++y) {
      const T* line = image + (c * shape_.height + std::min(y, shape_.height - 1)) * width;
      to = std::copy_n(line, width, to);
      *to++ = line[width - 1];
    }
}

// Displacements of one line of pixels: interpolated first between the lines of the lattice, then along the
// line.
template <class T>
void ImageChanger<T>::find_bend(const ImageChange& by, std::size_t line, Scratch& scratch) const {
  constexpr std::size_t points = ImageChange::points;
  const std::size_t width = shape_.width, height = shape_.height;
  std::size_t from = 0;
  while (line >= down_.begins[from + 1]) ++from;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double* lattice = by.bend[axis] + from * points;
    T row[points] = {};
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t j = 0; j < points; ++j)
        row[j] += down_.weights[k * height + line] * T(lattice[k * points + j]);
    T* __restrict bend = scratch.bend.data() + axis * width;
    const T* __restrict weights = across_.weights.data();
    for (std::size_t s = 0; s < spans; ++s)
      for (std::size_t x = across_.begins[s]; x < across_.begins[s + 1]; ++x)
        bend[x] = (weights[x] * row[s] + weights[width + x] * row[s + 1]) +
                  (weights[2 * width + x] * row[s + 2] + weights[3 * width + x] * row[s + 3]);
  }
}

template <class T>
void ImageChanger<T>::find_places(const ImageChange& by, std::size_t line, Scratch& scratch) const {
  const auto width = static_cast<std::int32_t>(shape_.width);
  const T right_end = T(shape_.width - 1), low_end = T(shape_.height - 1);
  const T v = T(line) - low_end / 2, xx = T(by.matrix[0]), yx = T(by.matrix[2]);
  const T from_x = T(by.matrix[1]) * v + (right_end / 2 + T(by.shift[0])) - xx * (right_end / 2);
  const T from_y = T(by.matrix[3]) * v + (low_end / 2 + T(by.shift[1])) - yx * (right_end / 2);
  const T* __restrict bend = scratch.bend.data();
  T* __restrict across = scratch.across.data(), * __restrict down = scratch.down.data();
  std::int32_t* __restrict corner = scratch.corner.data();
  for (std::int32_t x = 0; x < width; ++x) {
    T px = xx * T(x) + from_x + bend[x], py = yx * T(x) + from_y + bend[x + width];
    px = px > T(0) ? px : T(0), py = py > T(0) ? py : T(0);
    px = px < right_end ? px : right_end, py = py < low_end ? py : low_end;
    const auto left = static_cast<std::int32_t>(px), top = static_cast<std::int32_t>(py);
    across[x] = px - T(left), down[x] = py - T(top);
    corner[x] = top * (width + 1) + left;
  }
}

template <class T>
void ImageChanger<T>::move(const ImageChange& by, const T* image, T* out, Scratch& scratch) const {
  const std::size_t width = shape_.width, height = shape_.height, stride = width + 1;
  scratch.across.resize(width), scratch.down.resize(width), scratch.corner.resize(width);
  scratch.bend.assign(2 * width, T(0));
  copy_planes(image, scratch);
  for (std::size_t y = 0; y < height; ++y) {
    if (by.bends) find_bend(by, y, scratch);
    find_places(by, y, scratch);
    for (std::size_t c = 0; c < shape_.channels; ++c) {
      const T* __restrict plane = scratch.planes.data() + c * (height + 1) * stride;
      T* __restrict to = out + (c * height + y) * width;
      for (std::size_t x = 0; x < width; ++x) {
        const T *above = plane + scratch.corner[x], *below = above + stride;
        const T across = scratch.across[x];
        const T upper = above[0] + across * (above[1] - above[0]),
                lower = below[0] + across * (below[1] - below[0]);
        to[x] = upper + scratch.down[x] * (lower - upper);
      }
    }
  }
}

template <class T>
void ImageChanger<T>::cut(const ImageChange& by, T* out) const {
  const std::size_t width = shape_.width, half = by.cutout / 2,
                    left = by.cut_left - std::min(half, by.cut_left),
                    top = by.cut_top - std::min(half, by.cut_top),
                    right = std::min(width, by.cut_left + (by.cutout - half)),
                    bottom = std::min(shape_.height, by.cut_top + (by.cutout - half));
  for (std::size_t c = 0; c < shape_.channels; ++c)
    for (std::size_t y = top; y < bottom; ++y)
      std::fill_n(out + (c * shape_.height + y) * width + left, right - left, T(0));
}

template <class T>
void ImageChanger<T>::change(const ImageChange& by, const T* image, T* out, Scratch& scratch) const {
  if (augmentation_.moves())
    move(by, image, out, scratch);
  else
    std::copy_n(image, shape_.size(), out);
  if (by.cutout > 0) cut(by, out);
}

template class ImageChanger<float>;
template class ImageChanger<double>;

}  // namespace irn
