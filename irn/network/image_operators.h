// Operators between layers that are images (irn/data/image.h). Sizes follow their names:
//
//   conv5s2     convolution with a kernel of 5 x 5 and stride 2. conv3x5: 3 rows, 5 columns. Letters: s
//               stride, p padding, d dilation, g groups of channels. Without p the padding is half of the
//               kernel, so that an odd kernel with stride 1 keeps height and width. conv1 of a layer with
//               itself connects the filters at each place, conv3 also those at neighbouring places
//   tconv5s2    the transpose of conv5s2 from the second layer to the first: it undoes the change of sizes,
//               for feedback
//   pool2       the mean of squares of 2 x 2; has no parameters
//   up2         copies each entry to a square of 2 x 2; has no parameters
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "irn/data/image.h"
#include "irn/network/factor.h"

namespace irn {

// Shared by all: the shapes of the two layers, set once the operator is in an architecture.
struct ImageOperator {
  ImageShape from = {}, to = {};
  bool operator==(const ImageOperator&) const = default;
};

struct Convolution : ImageOperator {
  static constexpr std::string_view name = "conv";
  std::size_t kernel_height = 3, kernel_width = 3, stride = 1;
  std::optional<std::size_t> padding = {};  // none: half of the kernel
  std::size_t dilation = 1, groups = 1;

  static Convolution parse(std::string_view sizes);  // the text after the name: "5s2"
  std::string sizes() const;                         // the inverse
  std::string text() const { return std::string(name) + sizes(); }
  // The shape of its result for an image, with this number of channels. Throws irn::Error if there is none.
  ImageShape made_of(const ImageShape& image, std::size_t channels) const;
  // This operator between layers of these shapes. Throws irn::Error if they do not fit.
  Convolution between(const ImageShape& from, const ImageShape& to) const;
  ConvolutionShape geometry() const;  // with the shapes of the layers
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  std::vector<double> half_widths(std::size_t, std::size_t, double width) const { return {width}; }
  double fan_in(std::size_t cols) const;  // the number of terms in one entry of the result
  bool operator==(const Convolution&) const = default;
};

struct TransposedConvolution {
  static constexpr std::string_view name = "tconv";
  Convolution of;

  static TransposedConvolution parse(std::string_view sizes) { return {Convolution::parse(sizes)}; }
  std::string text() const { return std::string(name) + of.sizes(); }
  TransposedConvolution between(const ImageShape& from, const ImageShape& to) const;
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  std::vector<double> half_widths(std::size_t, std::size_t, double width) const { return {width}; }
  double fan_in(std::size_t cols) const;
  bool operator==(const TransposedConvolution&) const = default;
};

struct Pool : ImageOperator {
  static constexpr std::string_view name = "pool";
  std::size_t side = 2;

  static Pool parse(std::string_view sizes);
  std::string text() const { return std::string(name) + std::to_string(side); }
  ImageShape made_of(const ImageShape& image) const;
  Pool between(const ImageShape& from, const ImageShape& to) const;
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  std::vector<double> half_widths(std::size_t, std::size_t, double) const { return {0}; }
  double fan_in(std::size_t) const { return 1; }
  bool operator==(const Pool&) const = default;
};

struct Upsample : ImageOperator {
  static constexpr std::string_view name = "up";
  std::size_t side = 2;

  static Upsample parse(std::string_view sizes);
  std::string text() const { return std::string(name) + std::to_string(side); }
  ImageShape made_of(const ImageShape& image) const;
  Upsample between(const ImageShape& from, const ImageShape& to) const;
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  std::vector<double> half_widths(std::size_t, std::size_t, double) const { return {0}; }
  double fan_in(std::size_t) const { return 1; }
  bool operator==(const Upsample&) const = default;
};

}  // namespace irn
