// Products with convolutions and their gradients, compared with the plain sum (for_each_tap) for all kinds of
// shapes and every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/convolution_test.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/kernels/convolution_product-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

std::size_t convolution_lanes(bool single) { return single ? native_lanes<float> : native_lanes<double>; }
void convolution_float(const PackedConvolution<float>& c, const float* v, float* out) {
  add_convolution<Floats>(c, reinterpret_cast<const Floats*>(v), reinterpret_cast<Floats*>(out));
}
void convolution_double(const PackedConvolution<double>& c, const double* v, double* out) {
  add_convolution<Doubles>(c, reinterpret_cast<const Doubles*>(v), reinterpret_cast<Doubles*>(out));
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include "irn/base/random.h"
#include "irn/kernels/targets_testing-inl.h"

namespace irn {
namespace {

HWY_EXPORT(convolution_lanes);
HWY_EXPORT(convolution_float);
HWY_EXPORT(convolution_double);

void product(const PackedConvolution<float>& c, const float* v, float* out) {
  HWY_DYNAMIC_DISPATCH(convolution_float)(c, v, out);
}
void product(const PackedConvolution<double>& c, const double* v, double* out) {
  HWY_DYNAMIC_DISPATCH(convolution_double)(c, v, out);
}

// A random image and a random kernel with a result of at least one place; with padding the kernel may be
// larger than the image.
ConvolutionShape random_shape(std::uint64_t seed) {
  const Stream stream(seed);
  std::uint64_t next = 0;
  const auto draw = [&](std::size_t from, std::size_t to) {
    return from + stream.below(next++, to - from + 1);
  };
  ConvolutionShape c;
  c.groups = draw(1, 3);
  c.in_channels = c.groups * draw(1, 3), c.out_channels = c.groups * draw(1, 6);
  c.kernel_height = draw(1, 5), c.kernel_width = draw(1, 5);
  c.stride = draw(1, 4), c.dilation = draw(1, 3);
  const std::size_t high = c.dilation * (c.kernel_height - 1), wide = c.dilation * (c.kernel_width - 1);
  c.padding_height = draw(0, high), c.padding_width = draw(0, wide);
  const auto size = [&](std::size_t reach, std::size_t padding) {
    const std::size_t least = reach + 1 > 2 * padding ? reach + 1 - 2 * padding : 1;
    return draw(least, least + 7);
  };
  c.in_height = size(high, c.padding_height), c.in_width = size(wide, c.padding_width);
  c.out_height = (c.in_height + 2 * c.padding_height - high - 1) / c.stride + 1;
  c.out_width = (c.in_width + 2 * c.padding_width - wide - 1) / c.stride + 1;
  return c;
}

template <class T>
AlignedBuffer<T> random_buffer(std::size_t count, std::uint64_t stream) {
  AlignedBuffer<T> values(count);
  const Stream numbers(7, stream);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(numbers.uniform(i, -1, 1));
  return values;
}

std::string words(const ConvolutionShape& c) {
  return std::to_string(c.in_channels) + "x" + std::to_string(c.in_height) + "x" +
         std::to_string(c.in_width) + " to " + std::to_string(c.out_channels) + ", kernel " +
         std::to_string(c.kernel_height) + "x" + std::to_string(c.kernel_width) + " s" +
         std::to_string(c.stride) + " p" + std::to_string(c.padding_height) + "," +
         std::to_string(c.padding_width) + " d" + std::to_string(c.dilation) + " g" +
         std::to_string(c.groups);
}

template <class T>
void compare_product(const ConvolutionShape& c, bool transposed) {
  const std::size_t lanes = HWY_DYNAMIC_DISPATCH(convolution_lanes)(sizeof(T) == 4);
  const std::size_t in = transposed ? c.out_size() : c.in_size(),
                    out = transposed ? c.in_size() : c.out_size();
  const auto numbers = random_buffer<T>(c.numbers(), 1), v = random_buffer<T>(in * lanes, 2);
  auto found = random_buffer<T>(out * lanes, 3);
  std::vector<double> expected(found.begin(), found.end());
  for_each_tap(c, [&](std::size_t o, std::size_t i, std::size_t number) {
    if (transposed) std::swap(o, i);
    for (std::size_t s = 0; s < lanes; ++s)
      expected[o * lanes + s] += double(numbers[number]) * double(v[i * lanes + s]);
  });
  PackedConvolution<T> packed{ConvolutionRoute(c, transposed)};
  packed.pack(numbers.data());
  product(packed, v.data(), found.data());
  for (std::size_t k = 0; k < found.size(); ++k)
    ASSERT_NEAR(found[k], expected[k], sizeof(T) == 4 ? 2e-5 : 1e-13)
        << words(c) << (transposed ? " transposed" : "");
}

template <class T>
std::vector<T> gradient(const ConvolutionShape& c, std::size_t samples, const AlignedBuffer<T>& u,
                        const AlignedBuffer<T>& v, std::size_t channels_at_once) {
  std::vector<T> found(c.numbers());
  for (std::size_t o = 0; o < c.out_channels; o += channels_at_once)
    kernels::sum_convolution<T>(c, o, std::min(channels_at_once, c.out_channels - o), samples, u.data(),
                                c.out_size() + 3, v.data(), c.in_size() + 5,
                                found.data() + o * c.numbers_a_channel());
  return found;
}

template <class T>
void compare_gradient(const ConvolutionShape& c, std::size_t samples) {
  const std::size_t us = c.out_size() + 3, vs = c.in_size() + 5;
  const auto u = random_buffer<T>(samples * us, 4), v = random_buffer<T>(samples * vs, 5);
  std::vector<double> expected(c.numbers());
  for (std::size_t s = 0; s < samples; ++s)
    for_each_tap(c, [&](std::size_t o, std::size_t i, std::size_t number) {
      expected[number] += double(u[s * us + o]) * double(v[s * vs + i]);
    });
  const std::vector<T> found = gradient<T>(c, samples, u, v, c.out_channels);
  for (std::size_t k = 0; k < found.size(); ++k)
    ASSERT_NEAR(found[k], expected[k], sizeof(T) == 4 ? 2e-4 : 1e-12) << words(c);
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{3}, std::size_t{4}})
    ASSERT_EQ(gradient<T>(c, samples, u, v, at_once), found)
        << words(c) << ", " << at_once << " channels at once";
}

TEST(Convolution, ProductsAreThePlainSumOnEveryTarget) {
  kernels::for_each_target([](const char* target) {
    SCOPED_TRACE(target);
    for (std::uint64_t seed = 0; seed < 60; ++seed)
      for (const bool transposed : {false, true}) {
        compare_product<float>(random_shape(seed), transposed);
        compare_product<double>(random_shape(seed), transposed);
      }
  });
}

TEST(Convolution, GradientsAreThePlainSumHoweverChannelsAreShared) {
  kernels::for_each_target([](const char* target) {
    SCOPED_TRACE(target);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      compare_gradient<float>(random_shape(seed), 1 + seed);
      compare_gradient<double>(random_shape(seed), 1 + seed % 9);
    }
  });
}

// Other lanes do not matter: the same sample alone and among others.
TEST(Convolution, ASampleHasTheSameBitsInAnyLane) {
  const ConvolutionShape c = random_shape(3);
  const std::size_t lanes = HWY_DYNAMIC_DISPATCH(convolution_lanes)(true);
  const auto numbers = random_buffer<float>(c.numbers(), 1);
  auto v = random_buffer<float>(c.in_size() * lanes, 2);
  for (std::size_t i = 0; i < c.in_size(); ++i) v[i * lanes + lanes - 1] = v[i * lanes];
  AlignedBuffer<float> out(c.out_size() * lanes);
  PackedConvolution<float> packed{ConvolutionRoute(c, false)};
  packed.pack(numbers.data());
  product(packed, v.data(), out.data());
  for (std::size_t o = 0; o < c.out_size(); ++o) EXPECT_EQ(out[o * lanes], out[o * lanes + lanes - 1]);
}

}  // namespace
}  // namespace irn
#endif
