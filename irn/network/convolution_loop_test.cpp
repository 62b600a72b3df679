// Bounds of loops of convolutions: above the largest eigenvalue of their matrix, and not far above.
#include "irn/network/convolution_loop.h"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include <Eigen/Eigenvalues>

#include "irn/network/certificate.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

const char* const texts[] = {"1x6x6-3k3relu-2/none+1:1=conv3",
                             "1x5x4-2k3-2/none+1:1=conv1",
                             "1x7x7-2k3tanh-2/none+1:1=conv5x3",
                             "1x9x9-4k3relu-2/none+1:1=conv3d2g2",
                             "1x6x6-2k3relu-3k3-2/none+2:1=conv3",
                             "1x8x8-2k3relu-4k3s2relu-2/none+1:1=conv3+2:2=conv1+2:1=tconv3s2",
                             "1x6x6-2k3relu-3k3s2tanh-2/none+2:1=tconv3s2+2:2=conv3"};

double largest_eigenvalue(const NetworkOf<double>& network, const Loop& loop) {
  const std::vector<double> x = symmetric_part(network, loop);
  const auto n = static_cast<Eigen::Index>(loop.neurons);
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::Map<const Eigen::MatrixXd>(x.data(), n, n))
      .eigenvalues()[n - 1];
}

TEST(ConvolutionLoop, BoundsItsMatrix) {
  for (const char* text : texts)
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Architecture a = from_text<Architecture>(text);
      const NetworkOf<double> network(a, random_numbers<double>(a.parameters(), seed, 0.3));
      for (const Loop& loop : loops(a)) {
        ASSERT_TRUE(ConvolutionLoop::fits(a, loop));
        const double bound = ConvolutionLoop(a, loop).bound(network.parameters().data());
        const double exact = largest_eigenvalue(network, loop);
        EXPECT_GE(bound, exact) << text;
        EXPECT_LE(bound, 3 * exact + 0.5) << text;  // such small images are all border
      }
    }
}

// The largest eigenvalue of large images comes arbitrarily close: the bound is the best one for all sizes.
TEST(ConvolutionLoop, IsAttainedByLargeImages) {
  const Architecture a = from_text<Architecture>("1x24x24-2k3relu-2/none+1:1=conv3");
  const NetworkOf<double> network(a, random_numbers<double>(a.parameters(), 3, 0.3));
  const Loop loop = loops(a)[0];
  const double bound = ConvolutionLoop(a, loop).bound(network.parameters().data());
  EXPECT_NEAR(bound, largest_eigenvalue(network, loop), 0.15 * bound);
}

// The largest eigenvalue of the symbol over 200 x 200 frequencies, for a kernel [out][in][3][3] of one relu
// layer with itself.
double largest_of_symbol(const double* kernel, Eigen::Index channels) {
  constexpr int fine = 200;
  double largest = -1e300;
  for (int y = 0; y < fine; ++y)
    for (int x = 0; x < fine; ++x) {
      Eigen::MatrixXcd w = Eigen::MatrixXcd::Zero(channels, channels);
      for (Eigen::Index o = 0; o < channels; ++o)
        for (Eigen::Index i = 0; i < channels; ++i)
          for (int k = 0; k < 9; ++k)
            w(o, i) += kernel[(o * channels + i) * 9 + k] *
                       std::polar(1.0, 2 * std::numbers::pi / fine * ((k / 3 - 1) * y + (k % 3 - 1) * x));
      const Eigen::MatrixXcd h = 0.5 * (w + w.adjoint());
      largest = std::max(largest, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd>(h, Eigen::EigenvaluesOnly)
                                      .eigenvalues()[channels - 1]);
    }
  return largest;
}

TEST(ConvolutionLoop, IsTheLargestOverAllFrequencies) {
  const Architecture a = from_text<Architecture>("1x6x6-3k3relu-2/none+1:1=conv3");
  const Block& block = *std::ranges::find_if(a.blocks(), [](const Block& b) { return b.from == b.to; });
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<double> numbers = random_numbers<double>(a.parameters(), seed, 0.3);
    for (const double strength : {0.1, 1.0, 10.0}) {
      for (std::size_t k = 0; k < block.parameters; ++k) numbers[block.weights + k] *= strength;
      // For odd seeds each neuron strongly inhibits itself: the varying part of the symbol is then relatively
      // small.
      for (std::size_t c = 0; c < 3 && seed % 2 == 1; ++c) numbers[block.weights + c * 36 + 4] -= 5;
      const double fine = largest_of_symbol(&numbers[block.weights], 3);
      const double bound = ConvolutionLoop(a, loops(a)[0]).bound(numbers.data(), fine);
      EXPECT_GE(bound, fine - 1e-12) << seed;
      EXPECT_LE(bound, fine + 0.006 * std::abs(fine)) << seed;
    }
  }
}

TEST(ConvolutionLoop, LayersThatTurnAroundEachOtherCostNothing) {
  const Architecture a = from_text<Architecture>("1x6x6-2k3relu-3k3s2relu-2/none+2:1=tconv3s2");
  std::vector<double> numbers = random_numbers<double>(a.parameters(), 1, 5);
  const Block &back = a.blocks()[1], &forward = a.blocks()[2];
  ASSERT_EQ(to_text(back.op), "tconv3s2");
  ASSERT_EQ(back.parameters, forward.parameters);
  for (std::size_t i = 0; i < back.parameters; ++i) numbers[back.weights + i] = -numbers[forward.weights + i];
  EXPECT_LT(ConvolutionLoop(a, loops(a)[0]).bound(numbers.data()), 1e-9);
}

TEST(ConvolutionLoop, IsRefusedForOtherOperators) {
  for (const char* text : {"1x6x6-2k3relu-2/none+1:1", "1x6x6-2k3relu-pool2-2/none+1:1=conv3+2:1=up2"})
    EXPECT_FALSE(
        ConvolutionLoop::fits(from_text<Architecture>(text), loops(from_text<Architecture>(text))[0]))
        << text;
}

}  // namespace
}  // namespace irn
