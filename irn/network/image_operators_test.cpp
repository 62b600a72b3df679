// Layers that are images: their text, shapes and numbers, and what is refused.
#include "irn/network/image_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "irn/network/network.h"
#include "irn/network/operator_algebra.h"
#include "irn/network/parameter_parts.h"
#include "tests/support/plain_network.h"
#include "tests/support/random_images.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Architecture read(const std::string& text) { return from_text<Architecture>(text); }
std::string refusal_of(const std::string& text) {
  return refusal([&] { read(text); });
}

TEST(ImageText, GivesItselfBack) {
  for (const char* text :
       {"1x28x28-32k5s2relu-64k3s2relu-10identity/none+2:2=conv3", "3x32x32-16k3relu-pool2-10identity/none",
        "3x32x32-16k3relu-pool2relu-up2-10/none", "49-8x14x14relu-1x28x28/none+1:2=tconv4s2p1",
        "1x28x28-8k5s2relu-8k3s2relu-10/none+1:1=conv1+2:1=tconv3s2+2:2=conv3", "2x9x7-4k3x5p1d2g2-3/none",
        "2x4x4-6k3-6k3/lateral=conv3", "2x4x4-6x4x4-10/none", "2x4x4-6k3-2x4x4/none+0:2=conv3",
        "1x8x8-10/none"}) {
    EXPECT_EQ(to_text(read(text)), text);
    EXPECT_EQ(read(to_text(read(text))), read(text)) << text;
  }
  EXPECT_EQ(to_text(read("1x28x28-32x14x14relu-10/none+0:1=conv5s2")), "1x28x28-32k5s2relu-10/none");
}

TEST(ImageText, ShapesFollowFromKernels) {
  const Architecture a = read("1x28x28-32k5s2relu-64k3s2relu-pool7-10identity/none+2:2=conv3");
  EXPECT_EQ(a.inputs(), 784u);
  EXPECT_EQ(a.input_shape(), (ImageShape{1, 28, 28}));
  EXPECT_EQ(a.layers()[0].shape, (ImageShape{32, 14, 14}));
  EXPECT_EQ(a.layers()[1].shape, (ImageShape{64, 7, 7}));
  EXPECT_EQ(a.layers()[2].shape, (ImageShape{64, 1, 1}));
  EXPECT_TRUE(a.layers()[3].shape.none());
  EXPECT_EQ(a.parameters(), 25 * 32 + 9 * 32 * 64 + 9 * 64 * 64 + 64 * 10 + 32 + 64 + 64 + 10u);
}

TEST(ImageText, WhatDoesNotFitIsRefusedWithLayerAndSizes) {
  EXPECT_THAT(refusal_of("1x28x28-8k31p0relu-10"),
              AllOf(HasSubstr("layer 1"), HasSubstr("1x28x28"), HasSubstr("31"), HasSubstr("28")));
  EXPECT_THAT(refusal_of("784-8k5relu-10"),
              AllOf(HasSubstr("layer 1"), HasSubstr("no shape"), HasSubstr("1x28x28")));
  EXPECT_THAT(refusal_of("1x28x28-8k5relu-pool40-10"),
              AllOf(HasSubstr("layer 2"), HasSubstr("pool40"), HasSubstr("8x28x28")));
  EXPECT_THAT(refusal_of("1x28x28-8k5s2relu-10/none+1:1=conv3s2"),
              AllOf(HasSubstr("1:1"), HasSubstr("8x7x7"), HasSubstr("8x14x14")));
  EXPECT_THAT(refusal_of("1x28x28-8k5s2relu-10/lateral=conv3"),
              AllOf(HasSubstr("2:2"), HasSubstr("no shape")));
  EXPECT_THAT(refusal_of("1x28x28-8k3g3relu-10"), AllOf(HasSubstr("layer 1"), HasSubstr("groups")));
  EXPECT_THAT(refusal_of("1x28x28-8k3p9relu-10"), AllOf(HasSubstr("layer 1"), HasSubstr("padding of 9")));
  EXPECT_THAT(refusal_of("1x28x28-8k0relu-10"), AllOf(HasSubstr("layer 1"), HasSubstr("kernel")));
  EXPECT_THAT(refusal_of("1x28x28-8k3s0relu-10"), AllOf(HasSubstr("layer 1"), HasSubstr("stride")));
  EXPECT_THAT(refusal_of("1x28x28-8k5s2relu-8k29relu-10"),
              AllOf(HasSubstr("layer 2"), HasSubstr("larger than the image of 8x14x14")));
  EXPECT_THAT(refusal_of("1x28x28-8k3s29relu-10"),
              AllOf(HasSubstr("layer 1"), HasSubstr("a stride of 29"), HasSubstr("1x28x28")));
  EXPECT_EQ(with_channels(read("1x4x4-2k3s2relu-2k3s2relu-2k3s2relu-3/none+3:3=conv3").layers()[2].shape),
            "2x1x1");
  EXPECT_THAT(refusal_of("1x28x28-8k3q7relu-10"),
              AllOf(HasSubstr("layer 1"), HasSubstr("unknown activation \"q\"")));
  EXPECT_THAT(refusal_of("1x28x28-8k3-8krelu-10"), AllOf(HasSubstr("layer 2"), HasSubstr("\"krelu\"")));
  EXPECT_THAT(refusal_of("1x28x28-8k5s2-4k5s2-9/none+2:1=tconv3"),
              AllOf(HasSubstr("2:1"), HasSubstr("undoes")));
  EXPECT_THAT(refusal_of("1x28-10"), HasSubstr("expected 'x' and the width"));
  EXPECT_THAT(refusal_of("1x0x28-10"), AllOf(HasSubstr("1x0x28"), HasSubstr("empty")));
  EXPECT_THAT(refusal_of("9999x9999x9999-10"), HasSubstr("too large"));
  EXPECT_THAT(refusal_of("1x1x1-1k17d4096p4096-1"), HasSubstr("larger than the image of 1x1x1"));
  EXPECT_THAT(refusal_of("4-pool2-3"), AllOf(HasSubstr("layer 1"), HasSubstr("no shape")));
  EXPECT_THAT(refusal_of("1x8x8-8k3/none+1:1=conv"), AllOf(HasSubstr("conv"), HasSubstr("kernel")));
  EXPECT_THAT(refusal([] { Architecture(64, {{10, Activation::relu, {2, 2, 2}}}); }),
              AllOf(HasSubstr("layer 1"), HasSubstr("2x2x2")));
}

// Kernels with entries 1, 10, 100, ...: each digit shows which entry of the kernel it comes from.
TEST(ImageOperator, ConvolutionIsTheMatrixThatItsDefinitionSays) {
  const NetworkOf<double> network(read("1x2x3-1k1x3identity/none"), {1, 10, 100, 0});
  EXPECT_THAT(network.dense_b(), ElementsAre(10, 100, 0, 0, 0, 0,  //
                                             1, 10, 100, 0, 0, 0,  //
                                             0, 1, 10, 0, 0, 0,    //
                                             0, 0, 0, 10, 100, 0,  //
                                             0, 0, 0, 1, 10, 100,  //
                                             0, 0, 0, 0, 1, 10));
}

// The sum of convolution.h entry by entry: the number of the kernel, if any, that leads from one pixel to
// another.
std::vector<double> matrix_of(const Convolution& c, const std::vector<double>& numbers) {
  using Signed = std::ptrdiff_t;
  std::vector<double> matrix;
  const std::size_t inputs = c.from.channels / c.groups, outputs = c.to.channels / c.groups;
  const auto tap = [&](std::size_t in, std::size_t out, std::size_t kernel) {
    const Signed border = Signed(c.padding ? *c.padding : c.dilation * (kernel - 1) / 2);
    for (std::size_t k = 0; k < kernel; ++k)
      if (Signed(in) == Signed(out * c.stride + k * c.dilation) - border) return Signed(k);
    return Signed(-1);
  };
  for (std::size_t out = 0; out < c.to.size(); ++out)
    for (std::size_t in = 0; in < c.from.size(); ++in) {
      const std::size_t o = out / c.to.pixels(), i = in / c.from.pixels();
      const Signed row =
          tap(in % c.from.pixels() / c.from.width, out % c.to.pixels() / c.to.width, c.kernel_height);
      const Signed column = tap(in % c.from.width, out % c.to.width, c.kernel_width);
      const bool seen = o / outputs == i / inputs && row >= 0 && column >= 0;
      matrix.push_back(
          seen ? numbers[((o * inputs + i % inputs) * c.kernel_height + std::size_t(row)) * c.kernel_width +
                         std::size_t(column)]
               : 0);
    }
  return matrix;
}

TEST(ImageOperator, RandomConvolutionsAreTheMatrixThatTheirDefinitionSays) {
  RandomImages random(3);
  for (int tried = 0, fitting = 0; fitting < 200; ++tried) {
    ASSERT_LT(tried, 4000);
    const std::string text = random.image() + "-" + std::to_string(random.draw(1, 6)) + "k" + random.kernel();
    Architecture a(1, {{1}});
    try {
      a = read(text + "identity/none");
    } catch (const Error&) {
      continue;
    }
    ++fitting;
    const NetworkOf<double> network(a, random_numbers<double>(a.parameters(), std::uint64_t(tried)));
    const auto parameters = network.parameters();
    EXPECT_EQ(network.dense_b(),
              matrix_of(std::get<Convolution>(a.blocks()[0].op), {parameters.begin(), parameters.end()}))
        << text;
    EXPECT_EQ(read(to_text(a)), a) << text;
  }
}

TEST(ImageOperator, PoolIsAMeanAndUpACopy) {
  const NetworkOf<double> pool(read("1x2x4-pool2/none"), {0});
  EXPECT_THAT(pool.dense_b(), ElementsAre(0.25, 0.25, 0, 0, 0.25, 0.25, 0, 0,  //
                                          0, 0, 0.25, 0.25, 0, 0, 0.25, 0.25));
  const NetworkOf<double> up(read("1x1x2-up2/none"), {0});
  EXPECT_THAT(up.dense_b(), ElementsAre(1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1));
}

TEST(ImageOperator, TheTransposedConvolutionIsTheTransposedMatrix) {
  const std::vector<double> numbers = random_numbers<double>(2 * 3 * 9 + 200, 5);
  const Architecture a = read("2x5x5-3k3s2-4/none"), b = read("12-3x3x3-2x5x5/none+1:2=tconv3s2");
  const Block &forward = a.blocks()[0], &back = b.blocks()[1];
  ASSERT_EQ(to_text(forward.op), "conv3s2");
  std::vector<double> matrix(27 * 50), transposed(50 * 27);
  write_dense(forward, numbers.data(), matrix.data(), 50);
  write_dense(back, numbers.data(), transposed.data(), 27);
  for (std::size_t i = 0; i < 27; ++i)
    for (std::size_t j = 0; j < 50; ++j) EXPECT_EQ(matrix[i * 50 + j], transposed[j * 27 + i]);
}

TEST(ImageOperator, TensorsAreShapedAsOtherLibrariesHaveThem) {
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> shapes;
  for (const ParameterPart& part :
       parameter_parts(read("3x8x8-8k3s2relu-pool2-5/none+1:1=conv3x1g4+2:1=up2"))) {
    names.push_back(part.name);
    shapes.push_back(part.shape);
  }
  EXPECT_THAT(names, ElementsAre("layer1.input", "layer1.layer1", "layer3.layer2", "layer1.bias",
                                 "layer2.bias", "layer3.bias"));
  EXPECT_THAT(shapes, ElementsAre(ElementsAre(8, 3, 3, 3), ElementsAre(8, 2, 3, 1), ElementsAre(5, 32),
                                  ElementsAre(8), ElementsAre(8), ElementsAre(5)));
}

TEST(ImageOperator, ForwardConvolutionsStartWithTheVarianceOfTheirFanIn) {
  const NetworkOf<double> network(read("16x8x8-32k3-10/none"), Start::scaled, 3);
  double square = 0;
  for (std::size_t i = 0; i < 16 * 32 * 9; ++i) square += network.parameters()[i] * network.parameters()[i];
  EXPECT_NEAR(square / (16 * 32 * 9) * (16 * 9), 1.0, 0.1);
}

TEST(ImageOperator, BiasesAreSharedByAChannel) {
  const Architecture a = read("1x2x2-2k1identity-1identity/none");
  std::vector<double> numbers(a.parameters());
  ASSERT_EQ(a.first_bias(1) + 3, a.parameters());
  numbers[a.first_bias(1)] = 5, numbers[a.first_bias(1) + 1] = 7, numbers[a.first_bias(2)] = 9;
  EXPECT_THAT(PlainNetwork(NetworkOf<double>(a, numbers)).bias, ElementsAre(5, 5, 5, 5, 7, 7, 7, 7, 9));
}

}  // namespace
}  // namespace irn
