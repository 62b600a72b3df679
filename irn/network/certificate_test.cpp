#include "irn/network/certificate.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "tests/support/architectures.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

std::vector<std::vector<std::size_t>> layers_of_loops(const char* architecture) {
  std::vector<std::vector<std::size_t>> layers;
  for (const Loop& loop : loops(from_text<Architecture>(architecture))) layers.push_back(loop.layers);
  return layers;
}

TEST(Loops, AreLayersThatReachEachOther) {
  using Layers = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(layers_of_loops("3-4-2/none"), Layers{});
  EXPECT_EQ(layers_of_loops("3-4-2/lateral"), (Layers{{1}, {2}}));
  EXPECT_EQ(layers_of_loops("3-4-2/full"), (Layers{{1, 2}}));
  EXPECT_EQ(layers_of_loops("3-4-5-2/none+1:1"), (Layers{{1}}));
  EXPECT_EQ(layers_of_loops("3-4-5-6-2/none+3:1"), (Layers{{1, 2, 3}}));  // 1 -> 2 -> 3 -> 1
  EXPECT_EQ(layers_of_loops("3-4-5-6-2/none+2:1+4:3"),
            (Layers{{1, 2}, {3, 4}}));  // with a path from one to the other
}

// lambda_max of (S^1/2 A S^1/2 + transposed) / 2 over entries of A on loops, from the dense matrix.
double plain_bound(const NetworkOf<double>& network) {
  const PlainNetwork plain(network);
  const auto n = plain.a.rows();
  Eigen::VectorXd roots(n);
  for (Eigen::Index i = 0; i < n; ++i) roots[i] = std::sqrt(max_slope(plain.f[std::size_t(i)]));
  double largest = -INFINITY;
  for (const Loop& loop : loops(network.architecture())) {
    std::vector<Eigen::Index> places;
    for (const std::size_t l : loop.layers)
      for (std::size_t i = 0; i < network.architecture().layers()[l - 1].size; ++i)
        places.push_back(Eigen::Index(network.architecture().first_neuron(l) + i));
    const Eigen::MatrixXd scaled = roots.asDiagonal() * plain.a * roots.asDiagonal();
    const Eigen::MatrixXd x = 0.5 * (scaled + scaled.transpose())(places, places);
    largest = std::max(largest, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(x).eigenvalues().maxCoeff());
  }
  return largest;
}

TEST(Certificate, BoundIsThatOfTheDenseMatrixAndTheProofAgreesWithIt) {
  std::size_t certified = 0, free = 0;
  for (const Architecture& architecture : all_architectures())
    for (const double strength : {0.1, 0.5, 1.5, 4.0}) {
      const NetworkOf<double> network = random_network<double>(architecture, 5, strength);
      const double bound = plain_bound(network);
      if (architecture.recurrent()) {
        EXPECT_NEAR(certificate_bound(network), bound, 1e-12 * (1 + std::abs(bound)))
            << to_text(architecture);
      }
      EXPECT_EQ(is_certified(network), bound < 1) << to_text(architecture) << " " << bound;
      ++(bound < 1 ? certified : free);
    }
  EXPECT_GT(certified, 10u);
  EXPECT_GT(free, 10u);
}

// No part of it is computed in the network's own precision.
TEST(Certificate, BoundIsThatOfTheNumbersWhateverTheirPrecision) {
  for (const Architecture& architecture : all_architectures()) {
    if (!architecture.recurrent()) continue;
    const NetworkOf<float> network = random_network<float>(architecture, 5, 1.5);
    const NetworkOf<double> same(
        architecture, std::vector<double>(network.parameters().begin(), network.parameters().end()));
    const double bound = certificate_bound(same);
    EXPECT_NEAR(certificate_bound(network), bound, 1e-13 * (1 + std::abs(bound))) << to_text(architecture);
  }
}

TEST(Certificate, IsNotGivenAtTheEdge) {
  const auto of = [](double own) {
    return NetworkOf<double>(from_text<Architecture>("1-2relu/lateral"), {1, 1, own, 3, -3, own, 0, 0});
  };
  EXPECT_TRUE(is_certified(of(1 - 1e-12)));
  EXPECT_FALSE(is_certified(of(1)));
  EXPECT_FALSE(is_certified(of(1 - 1e-16)));  // too close to tell
  EXPECT_FALSE(is_certified(of(1 + 1e-12)));
}

TEST(Certificate, SaysWhenALoopIsTooLarge) {
  const NetworkOf<float> network(from_text<Architecture>("1-5000/lateral=diagonal"), Start::scaled, 1);
  EXPECT_FALSE(can_be_certified(network.architecture()));
  EXPECT_TRUE(can_be_certified(from_text<Architecture>("1-5000-4096-1/none+2:2")));
  EXPECT_NE(refusal([&] { is_certified(network); }).find("5000 neurons is too large"), std::string::npos);
}

}  // namespace
}  // namespace irn
