#include "irn/analysis/contraction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/architectures.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

// The two bounds from the dense matrix, with slopes tried at both ends of their range.
struct PlainBounds {
  double flow = -INFINITY, iteration = 0;

  explicit PlainBounds(const PlainNetwork& network) {
    for (Eigen::Index i = 0; i < network.a.rows(); ++i) {
      const Activation f = network.f[static_cast<std::size_t>(i)];
      const double sum = network.a.row(i).cwiseAbs().sum(), a = network.a(i, i);
      double row = -INFINITY;
      for (const double d : {f == Activation::identity ? 1.0 : 0.0, max_slope(f)})
        row = std::max(row, d * (sum - std::abs(a) + a));
      flow = std::max(flow, row);
      iteration = std::max(iteration, max_slope(f) * sum);
    }
  }
};

TEST(Contraction, BoundsAreThoseOfTheDenseMatrix) {
  for (const Architecture& architecture : all_architectures()) {
    const Network<double> network = random_network<double>(architecture, 17, 1.5);
    const Contraction found = contraction(network);
    const PlainBounds expected{PlainNetwork(network)};
    EXPECT_NEAR(found.flow.bound, expected.flow, 1e-12) << architecture.text();
    EXPECT_NEAR(found.iteration.bound, expected.iteration, 1e-12) << architecture.text();
    EXPECT_EQ(found.recurrent, architecture.recurrent());
    EXPECT_EQ(found.layers.size(), architecture.layers().size());
  }
}

TEST(Contraction, NamesTheRowWhereItIsWorst) {
  //                       layer 1 <- input, <- itself (2 x 2), layer 2 <- layer 1 (1 x 2), biases
  const Network<float> network(Architecture::parse("1-2tanh-1/none+1:1"),
                               {9, 9, 0.25f, -0.5f, 2, -3, 1, 1, 0, 0, 0});
  const Contraction found = contraction(network);
  EXPECT_DOUBLE_EQ(found.layers[0].flow.bound, 0.75);  // row 0: 0.25 + 0.5; row 1 inhibits itself: 2 - 3 < 0
  EXPECT_EQ(found.layers[0].flow.row, 0u);
  EXPECT_DOUBLE_EQ(found.layers[0].iteration.bound, 5);
  EXPECT_EQ(found.layers[0].iteration.row, 1u);
  EXPECT_DOUBLE_EQ(found.layers[1].flow.bound, 0.5);  // sigmoid: a quarter of 1 + 1
  EXPECT_EQ(found.flow.layer, 1u);
  EXPECT_TRUE(found.flow.contracts());
  EXPECT_FALSE(found.iteration.contracts());
}

TEST(Contraction, InhibitionOfItselfHelpsTheFlow) {
  EXPECT_EQ(contraction(Network<double>(Architecture::parse("1-1"), {5, -8, 0})).flow.bound, 0);
  EXPECT_EQ(contraction(Network<double>(Architecture::parse("1-1identity"), {5, -8, 0})).flow.bound, -8);
}

// Two solutions of the flow approach each other at least as fast as the bound says.
TEST(Contraction, SolutionsApproachEachOtherAtLeastAsFastAsPromised) {
  for (const char* text : {"3-4tanh-2", "3-5-3relu/lateral", "2-6softplus-2identity"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Network<double> network = random_network<double>(Architecture::parse(text), seed, 0.9);
      const double rate = 1 - contraction(network).flow.bound;
      ASSERT_GT(rate, 0);
      const PlainNetwork plain(network);
      const auto n = static_cast<Eigen::Index>(network.architecture().neurons());
      const Eigen::VectorXd x =
          Eigen::VectorXd::Constant(static_cast<Eigen::Index>(network.architecture().inputs()), 0.3);
      Eigen::VectorXd z = Eigen::VectorXd::Zero(n),
                      y = as_vector<double>(random_numbers<double>(static_cast<std::size_t>(n), seed, 2));
      const double start = (z - y).cwiseAbs().maxCoeff(), step = 0.01;
      for (int k = 0; k < 300; ++k) {
        z += step * (plain.map(z, x) - z);
        y += step * (plain.map(y, x) - y);
      }
      // Euler's steps contract by 1 - step * rate each, which is below e^(-step * rate).
      EXPECT_LE((z - y).cwiseAbs().maxCoeff(), start * std::exp(-3 * rate) * (1 + 1e-9)) << text;
    }
}

}  // namespace
}  // namespace irn
