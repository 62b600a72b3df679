// Convolution of images, channels x height x width, and the data of its kernels.
//
//   out[o][y][x] = sum over i, k, l of  w[o][i][k][l] in[i][y s + k d - p_y][x s + l d - p_x]
//
// with stride s, dilation d and padding p; entries outside the image are 0. Channels are divided into groups
// that are independent of each other. The order of the numbers is that of other libraries: [out channel][in
// channel of the group][row][column].
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace irn {

struct ConvolutionShape {
  std::size_t in_channels = 0, in_height = 0, in_width = 0;
  std::size_t out_channels = 0, out_height = 0, out_width = 0;
  std::size_t kernel_height = 1, kernel_width = 1;
  std::size_t stride = 1, padding_height = 0, padding_width = 0, dilation = 1, groups = 1;

  std::size_t in_plane() const { return in_height * in_width; }
  std::size_t out_plane() const { return out_height * out_width; }
  std::size_t in_size() const { return in_channels * in_plane(); }
  std::size_t out_size() const { return out_channels * out_plane(); }
  std::size_t taps() const { return kernel_height * kernel_width; }
  std::size_t group_inputs() const { return in_channels / groups; }
  std::size_t group_outputs() const { return out_channels / groups; }
  std::size_t numbers_a_channel() const { return group_inputs() * taps(); }  // of one out channel
  std::size_t numbers() const { return out_channels * numbers_a_channel(); }
  bool operator==(const ConvolutionShape&) const = default;
};

// Calls visit(out, in, number) for every product of the sum above: the plain definition, against which the
// fast kernels are tested.
template <class Visit>
void for_each_tap(const ConvolutionShape& c, const Visit& visit) {
  for (std::size_t o = 0; o < c.out_channels; ++o)
    for (std::size_t y = 0; y < c.out_height; ++y)
      for (std::size_t x = 0; x < c.out_width; ++x)
        for (std::size_t i = 0; i < c.group_inputs(); ++i)
          for (std::size_t k = 0; k < c.kernel_height; ++k)
            for (std::size_t l = 0; l < c.kernel_width; ++l) {
              const std::size_t row = y * c.stride + k * c.dilation, column = x * c.stride + l * c.dilation;
              if (row < c.padding_height || row - c.padding_height >= c.in_height) continue;
              if (column < c.padding_width || column - c.padding_width >= c.in_width) continue;
              const std::size_t channel = o / c.group_outputs() * c.group_inputs() + i;
              visit((o * c.out_height + y) * c.out_width + x,
                    (channel * c.in_height + row - c.padding_height) * c.in_width + column - c.padding_width,
                    ((o * c.group_inputs() + i) * c.kernel_height + k) * c.kernel_width + l);
            }
}

// The order in which a kernel computes a product with C or with its transpose. The vector is read from planes
// with a border of zeros, so that taps need no check whether they are inside. In the transposed product with
// stride s, places of the result with the same remainders of y and x modulo s see the same taps. They form a
// phase, which is a plain convolution with stride 1. C itself has one phase.
struct ConvolutionRoute {
  struct Phase {
    // Of each place: its first entry in the bordered plane, and its entry in the result.
    std::vector<std::uint32_t> from, to;
    // Of each tap: the offset of its entry from there, and its number in the kernel.
    std::vector<std::uint32_t> taps;
    std::vector<std::uint32_t> numbers;
  };
  ConvolutionRoute() = default;
  ConvolutionRoute(const ConvolutionShape& shape, bool transposed);

  std::size_t groups = 1, sources = 0, targets = 0;  // channels of a group, read and written
  std::size_t height = 0, width = 0;                 // of a plane read, without its border
  std::size_t top = 0, left = 0, bordered_height = 0, bordered_width = 0;
  std::size_t target_plane = 0;
  // Tap 0 of [target channel][source channel] of a group is at
  // target * target_stride + source * source_stride.
  std::size_t target_stride = 0, source_stride = 0, group_stride = 0;
  std::vector<Phase> phases;

  bool bordered() const { return bordered_height != height || bordered_width != width; }
  std::size_t bordered_plane() const { return bordered_height * bordered_width; }
};

// A route with its numbers, in the order in which the kernel reads them: [phase][group][panel of target
// channels][source][tap][row].
template <class T>
struct PackedConvolution {
  ConvolutionRoute route;
  std::vector<std::vector<T>> weights;  // [phase]

  PackedConvolution() = default;
  explicit PackedConvolution(ConvolutionRoute taken);
  void pack(const T* numbers);
};

// Target channels in a panel, and places in a tile: their sums, the entries read and a weight fill the 16
// registers of AVX2.
inline constexpr std::size_t convolution_panel = 4, convolution_places = 3;

namespace kernels {

// gradient[o][i][k][l] = sum over samples and places of  u[o][y][x] v[i][y s + k d - p_y][x s + l d - p_x]
// for `count` out channels from `channel` on. u is [sample][out_size] and v is [sample][in_size], row-major
// with these strides. Samples are in lanes; each lane has its own sum, and the lanes are added up last. So
// the bits depend on the number of lanes, but not on which channels are computed together.
template <class T>
void sum_convolution(const ConvolutionShape& shape, std::size_t channel, std::size_t count,
                     std::size_t samples, const T* u, std::size_t u_stride, const T* v, std::size_t v_stride,
                     T* gradient);

}  // namespace kernels

extern template struct PackedConvolution<float>;
extern template struct PackedConvolution<double>;

}  // namespace irn
