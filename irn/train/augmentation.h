// Images changed at random, so that a network learns what a class is rather than where its pixels are
// (Simard, Steinkraus, Platt: "Best practices for convolutional neural networks applied to visual document
// analysis", 2003).
//   shift, rotate, scale, shear   each uniform on [-x, x]: in pixels; in degrees; as a share of the size; in
//                                 pixels sideways for each pixel upwards
//   elastic                       in pixels, uniform on [-x, x] at a lattice of 7 x 7 points: four spans
//                                 across the image and one beyond it on each side, with cubic B-splines in
//                                 between
//   cutout                        a square with this many pixels a side, anywhere, set to 0 (DeVries, Taylor:
//                                 "Improved regularization of convolutional neural networks with cutout",
//                                 2017)
//   flip                          left and right swapped in half of the cases
// Pixel p of the result is read from the image at c + M (p - c) + d. Here c is the middle, M = R(rotate)
// K(shear) / (1 + scale), and d is shift and elastic together. Between pixels the image is interpolated
// bilinearly; beyond its edge it has the values of the edge. All channels move alike.
// The change is a pure function of a stream of random numbers and a number, both chosen by the caller
// (AugmentedSamples).
#pragma once

#include <string>
#include <vector>

#include "irn/base/random.h"
#include "irn/base/text_form.h"
#include "irn/data/image.h"

namespace irn {

struct Augmentation {
  static constexpr std::string_view name = "augmentation";
  double shift = 0, rotate = 0, scale = 0, shear = 0, elastic = 0;
  std::size_t cutout = 0;
  bool flip = false;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("shift", shift);
    visit("rotate", rotate);
    visit("scale", scale);
    visit("shear", shear);
    visit("elastic", elastic);
    visit("cutout", cutout);
    visit("flip", flip);
  }
  bool none() const { return *this == Augmentation{}; }
  bool moves() const { return shift > 0 || rotate > 0 || scale > 0 || shear > 0 || elastic > 0 || flip; }
  bool operator==(const Augmentation&) const = default;
};

// Reads "shift=2,rotate=10" or "none". Throws irn::Error for other text and for values out of range.
template <>
Augmentation from_text<Augmentation>(std::string_view text);
std::string to_text(const Augmentation& augmentation);
void check_augmentation(const Augmentation& augmentation);
// Also refuses changes that would leave nothing of images of this shape.
void check_augmentation(const Augmentation& augmentation, const ImageShape& shape);

// The change of one image.
struct ImageChange {
  double matrix[4] = {1, 0, 0, 1};  // M, row by row: x, then y
  double shift[2] = {0, 0};         // x, y
  static constexpr std::size_t points = 7;
  bool bends = false;
  double bend[2][points * points] = {};  // x, y: displacements of the lattice, line by line
  std::size_t cutout = 0, cut_left = 0, cut_top = 0;
};
// The cut-out square has side `cutout`. Its middle is anywhere in the image; parts outside are ignored.
ImageChange draw_change(const Augmentation& augmentation, const ImageShape& shape, const Stream& stream,
                        std::uint64_t number);

template <class T>
class ImageChanger {
 public:
  ImageChanger(const Augmentation& augmentation, const ImageShape& shape);

  // For one thread at a time.
  struct Scratch {
    std::vector<T> planes;  // the image, with its last line and column once more
    // for one line: weights of the right and of the lower pixel; displacements, x and then y
    std::vector<T> across, down, bend;
    std::vector<std::int32_t> corner;  // where the upper left one lies
  };
  // `out` must not overlap `image`.
  void change(const ImageChange& by, const T* image, T* out, Scratch& scratch) const;

  const Augmentation& augmentation() const { return augmentation_; }
  const ImageShape& shape() const { return shape_; }

 private:
  // An axis is cut into spans; the pixels of one span are between the same points of the lattice. `begins`
  // has the first pixel of each span. `weights` has the weight of the first of the four points for all
  // pixels, then that of the second, ...
  struct Spline {
    std::vector<std::size_t> begins;
    std::vector<T> weights;
  };
  static Spline spline(std::size_t size);
  void copy_planes(const T* image, Scratch& scratch) const;
  void find_bend(const ImageChange& by, std::size_t line, Scratch& scratch) const;
  void find_places(const ImageChange& by, std::size_t line, Scratch& scratch) const;
  void move(const ImageChange& by, const T* image, T* out, Scratch& scratch) const;
  void cut(const ImageChange& by, T* out) const;

  Augmentation augmentation_;
  ImageShape shape_;
  Spline across_, down_;
};

extern template class ImageChanger<float>;
extern template class ImageChanger<double>;

}  // namespace irn
