#include "irn/analysis/contraction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/architectures.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

// The two bounds of a dense matrix, with slopes tried at both ends of their range.
struct PlainBounds {
  double flow = -INFINITY, iteration = 0;

  PlainBounds(const Eigen::MatrixXd& matrix, const std::vector<Activation>& activations) {
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      const Activation f = activations[static_cast<std::size_t>(i)];
      const double sum = matrix.row(i).cwiseAbs().sum(), a = matrix(i, i);
      double row = -INFINITY;
      for (const double d : {min_slope(f), max_slope(f)}) row = std::max(row, d * (sum - std::abs(a) + a));
      flow = std::max(flow, row);
      iteration = std::max(iteration, max_slope(f) * sum);
    }
  }
};

// 1 where weights from j to i are on a loop of neurons: Warshall's closure of the pattern of A.
Eigen::MatrixXd on_loops(const Eigen::MatrixXd& a) {
  Eigen::MatrixXi way = (a.array() != 0).cast<int>();  // way(i, j): j reaches i
  for (Eigen::Index k = 0; k < a.rows(); ++k)
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      for (Eigen::Index j = 0; j < a.rows(); ++j) way(i, j) |= way(i, k) & way(k, j);
  return way.cwiseProduct(way.transpose()).cast<double>();
}

// The matrix as seen by the norm max_i |z_i| / w_i, where w_i = growth^(layer of i).
Eigen::VectorXd weights_of_layers(const Architecture& architecture, double growth) {
  Eigen::VectorXd w(static_cast<Eigen::Index>(architecture.neurons()));
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l)
    w.segment(static_cast<Eigen::Index>(architecture.first_neuron(l)),
              static_cast<Eigen::Index>(architecture.layers()[l - 1].size))
        .setConstant(std::pow(growth, double(l)));
  return w;
}
Eigen::MatrixXd weighted(const Eigen::MatrixXd& a, const Eigen::VectorXd& w) {
  return w.cwiseInverse().asDiagonal() * a * w.asDiagonal();
}

TEST(Contraction, BoundsAreThoseOfTheDenseMatrixOnItsLoops) {
  for (const Architecture& architecture : all_architectures()) {
    const NetworkOf<double> network = random_network<double>(architecture, 17, 1.5);
    const Contraction found = contraction(network);
    const PlainNetwork plain(network);
    const PlainBounds expected(plain.a.cwiseProduct(on_loops(plain.a)), plain.f);
    EXPECT_NEAR(found.flow.bound, expected.flow, 1e-12) << to_text(architecture);
    EXPECT_NEAR(found.iteration.bound, expected.iteration, 1e-12) << to_text(architecture);
    EXPECT_EQ(found.recurrent, architecture.recurrent());
    EXPECT_EQ(found.layers.size(), architecture.layers().size());
  }
}

// Lateral blocks only: every layer is a group, and the layers are in their order.
TEST(Contraction, AWeightedNormHasTheBoundsOfTheGroups) {
  for (const char* text : {"3-5-3relu/lateral", "2-6softplus-4tanh-2identity/lateral+1:3-3:3"}) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>(text), 3, 2);
    const Contraction found = contraction(network);
    const PlainNetwork plain(network);
    const Eigen::VectorXd w = weights_of_layers(network.architecture(), 1e9);
    const PlainBounds limit(weighted(plain.a, w), plain.f);
    EXPECT_NEAR(found.flow.bound, limit.flow, 1e-7) << text;
    EXPECT_NEAR(found.iteration.bound, limit.iteration, 1e-7) << text;
    EXPECT_LT(found.layers[1].iteration.bound, 1.9)
        << text << ": whole rows have 2, and part of them is forward";
  }
}

TEST(Contraction, WhatIsNotOnALoopOfLayersDoesNotCount) {
  const auto bound = [](const char* text) {
    return contraction(random_network<double>(from_text<Architecture>(text), 5, 10)).flow;
  };
  EXPECT_EQ(bound("3-8tanh-8relu-2identity/none").bound, 0);
  EXPECT_EQ(bound("3-8tanh-8relu-2identity/none+2:2").layer, 2u);
  const Contraction around = contraction(
      random_network<double>(from_text<Architecture>("3-4tanh-4tanh-4tanh-2identity/none+3:1"), 5, 10));
  for (std::size_t layer = 0; layer < 3; ++layer) EXPECT_GT(around.layers[layer].flow.bound, 1) << layer;
  EXPECT_EQ(around.layers[3].flow.bound, 0) << "the read-out feeds nothing";
}

TEST(Contraction, NamesTheRowWhereItIsWorst) {
  //                       layer 1 <- input, <- itself (2 x 2), layer 2 <- layer 1 (1 x 2), biases
  const NetworkOf<float> network(from_text<Architecture>("1-2tanh-1/none+1:1"),
                                 {9, 9, 0.25f, -0.5f, 2, -3, 1, 1, 0, 0, 0});
  const Contraction found = contraction(network);
  EXPECT_DOUBLE_EQ(found.layers[0].flow.bound, 0.75);  // row 0: 0.25 + 0.5; row 1 inhibits itself: 2 - 3 < 0
  EXPECT_EQ(found.layers[0].flow.row, 0u);
  EXPECT_DOUBLE_EQ(found.layers[0].iteration.bound, 5);
  EXPECT_EQ(found.layers[0].iteration.row, 1u);
  EXPECT_EQ(found.layers[1].flow.bound, 0);  // a read-out
  EXPECT_EQ(found.flow.layer, 1u);
  EXPECT_TRUE(found.flow.contracts());
  EXPECT_FALSE(found.iteration.contracts());
}

TEST(Contraction, InhibitionOfItselfHelpsTheFlow) {
  EXPECT_EQ(contraction(NetworkOf<double>(from_text<Architecture>("1-1"), {5, -8, 0})).flow.bound, 0);
  EXPECT_EQ(contraction(NetworkOf<double>(from_text<Architecture>("1-1identity"), {5, -8, 0})).flow.bound,
            -8);
}

// Two solutions of the flow approach each other at least as fast as the bound says, in a norm for which it
// holds.
TEST(Contraction, SolutionsApproachEachOtherAtLeastAsFastAsPromised) {
  for (const char* text : {"3-4tanh-2", "3-5-3relu/lateral", "2-6softplus-2identity"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const NetworkOf<double> network = random_network<double>(from_text<Architecture>(text), seed, 0.9);
      const double rate = 1 - contraction(network).flow.bound - 1e-6;
      ASSERT_GT(rate, 0);
      const PlainNetwork plain(network);
      const bool triangular = network.architecture().connected(2, 1) == false;
      const Eigen::VectorXd w = weights_of_layers(network.architecture(), triangular ? 1e8 : 1);
      const auto distance = [&](const Eigen::VectorXd& d) {
        return d.cwiseQuotient(w).cwiseAbs().maxCoeff();
      };
      const auto n = static_cast<Eigen::Index>(network.architecture().neurons());
      const Eigen::VectorXd x =
          Eigen::VectorXd::Constant(static_cast<Eigen::Index>(network.architecture().inputs()), 0.3);
      Eigen::VectorXd z = Eigen::VectorXd::Zero(n),
                      y = as_vector<double>(random_numbers<double>(static_cast<std::size_t>(n), seed, 2));
      const double start = distance(z - y), step = 0.01;
      for (int k = 0; k < 300; ++k) {
        z += step * (plain.map(z, x) - z);
        y += step * (plain.map(y, x) - y);
      }
      // Euler's steps contract by 1 - step * rate each, which is below e^(-step * rate).
      EXPECT_LE(distance(z - y), start * std::exp(-3 * rate) * (1 + 1e-9)) << text;
    }
}

}  // namespace
}  // namespace irn
