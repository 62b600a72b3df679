// Bounds of convolutions' loops: above the largest eigenvalue of the matrix that they stand for, and not far above.
#include "irn/network/convolution_loop.h"

#include <gtest/gtest.h>

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
        EXPECT_LE(bound, 3 * exact + 0.5) << text;  // images this small are all border
      }
    }
}

// The largest eigenvalue of a large image comes as close as one likes: the bound is the best that holds for every size.
TEST(ConvolutionLoop, IsAttainedByLargeImages) {
  const Architecture a = from_text<Architecture>("1x24x24-2k3relu-2/none+1:1=conv3");
  const NetworkOf<double> network(a, random_numbers<double>(a.parameters(), 3, 0.3));
  const Loop loop = loops(a)[0];
  const double bound = ConvolutionLoop(a, loop).bound(network.parameters().data(), 0.0);
  EXPECT_NEAR(bound, largest_eigenvalue(network, loop), 0.15 * bound);
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
