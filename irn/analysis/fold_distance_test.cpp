#include "irn/analysis/fold_distance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "irn/analysis/branches.h"
#include "irn/base/error.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

Eigen::VectorXd singular_values(const PlainNetwork& plain, const Eigen::VectorXd& z,
                                const Eigen::VectorXd& x) {
  const Eigen::Index n = z.size();
  const Eigen::MatrixXd m = Eigen::MatrixXd::Identity(n, n) - plain.jacobian(plain.map(z, x));
  return Eigen::JacobiSVD<Eigen::MatrixXd>(m).singularValues();
}

TEST(FoldDistance, TheSmallestSingularValueHasItsVectors) {
  for (const char* text : {"2-1tanh", "2-7tanh", "3-40-8", "2-60tanh/lateral"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const NetworkOf<double> network = random_network<double>(from_text<Architecture>(text), seed, 3);
      const PlainNetwork plain(network);
      const std::vector<double> x = random_numbers<double>(network.architecture().inputs(), seed),
                                z = random_numbers<double>(network.architecture().neurons(), seed + 50);
      const SmallestSingular found = smallest_singular<double>(network, x, z);
      const Eigen::VectorXd values = singular_values(plain, as_vector<double>(z), as_vector<double>(x));
      EXPECT_NEAR(found.value, values[values.size() - 1], 1e-8 * values[0]) << text << ", seed " << seed;
      const Eigen::VectorXd left = as_vector<double>(found.left), right = as_vector<double>(found.right);
      const Eigen::VectorXd image =
          right - plain.jacobian(plain.map(as_vector<double>(z), as_vector<double>(x))) * right;
      EXPECT_LE((image - found.value * left).norm(), 1e-4) << text << ", seed " << seed;
      EXPECT_NEAR(left.norm(), 1, 1e-12);
      EXPECT_NEAR(right.norm(), 1, 1e-12);
    }
}

// z = tanh(w z + b . x) folds where the drive b . x is atanh(s) - w s, s = sqrt(1 - 1/w). From the upper
// equilibrium at x = 0 the shortest way there is along -b, and its length is that drive over |b|.
TEST(FoldDistance, OfANeuronItIsKnown) {
  for (const double w : {1.5, 2.0, 4.0})
    for (const double b : {0.5, 1.0}) {
      const NetworkOf<double> network(from_text<Architecture>("3-1tanh"), {b, 2 * b, -2 * b, w, 0});
      double z = 0.9;
      for (int k = 0; k < 500; ++k) z = std::tanh(w * z);
      const FoldDistance found =
          fold_distance<double>(network, std::vector<double>(3), std::vector<double>{z});
      const double s = std::sqrt(1 - 1 / w), drive = w * s - std::atanh(s);
      EXPECT_NEAR(found.singular.value, 1 - w * (1 - z * z), 1e-9);
      ASSERT_TRUE(found.fold);
      EXPECT_NEAR(found.fold->distance, drive / (3 * b), 1e-7);
      EXPECT_TRUE(found.fold->nearest_around);
      EXPECT_NEAR(found.fold->direction[0], -1. / 3, 1e-9);
      EXPECT_NEAR(found.fold->direction[2], 2. / 3, 1e-9);
      EXPECT_NEAR(found.fold->state[0], s, 1e-4);
      EXPECT_NEAR(found.fold->input[1], -2. / 3 * drive / (3 * b), 1e-7);
    }
}

TEST(FoldDistance, NoneIsFoundWhereThereIsNone) {
  const NetworkOf<double> one(from_text<Architecture>("1-1tanh"), {1, 0.9, 0});
  EXPECT_FALSE(fold_distance<double>(one, std::vector<double>{0}, std::vector<double>{0}).fold);
  const NetworkOf<double> without = random_network<double>(from_text<Architecture>("2-3tanh-1/none"), 1, 3);
  const PlainNetwork plain(without);
  const Eigen::VectorXd z = plain.flow_limit(Eigen::VectorXd::Zero(2));
  EXPECT_FALSE(fold_distance<double>(without, std::vector<double>(2), {z.data(), 4}).fold);
}

TEST(FoldDistance, NotFoundWithinTheRangeSaysSo) {
  const NetworkOf<double> network(from_text<Architecture>("1-1tanh"), {0.01, 4, 0});
  double z = 0.9;
  for (int k = 0; k < 500; ++k) z = std::tanh(4 * z);
  const FoldDistance near = fold_distance<double>(network, std::vector<double>{0}, std::vector<double>{z});
  EXPECT_FALSE(near.fold);  // it is 178 away
  EXPECT_EQ(near.range, 10);
  EXPECT_TRUE(
      fold_distance<double>(network, std::vector<double>{0}, std::vector<double>{z}, {.range = 1000}).fold);
}

TEST(FoldDistance, AStateThatIsNoEquilibriumIsRefused) {
  const NetworkOf<double> network(from_text<Architecture>("1-1tanh"), {1, 2, 0});
  EXPECT_THROW(fold_distance<double>(network, std::vector<double>{0}, std::vector<double>{0.3}), Error);
}

// At the fold found the matrix is singular, and no random direction meets a nearer fold.
TEST(FoldDistance, OfRandomNetworksItIsAFoldAndNoneIsNearerInOtherDirections) {
  std::size_t folds = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>("3-4tanh"), seed, 3);
    const PlainNetwork plain(network);
    const std::vector<double> x = random_numbers<double>(3, seed + 30);
    const Eigen::VectorXd z = plain.flow_limit(as_vector<double>(x));
    if (plain.residual(z, as_vector<double>(x)) > 1e-10) continue;
    const std::vector<double> state(z.begin(), z.end());
    const FoldDistance found = fold_distance<double>(network, x, state);
    if (!found.fold) continue;
    ++folds;
    const Eigen::VectorXd there = as_vector<double>(found.fold->input);
    const Eigen::VectorXd folded = as_vector<double>(found.fold->state);
    EXPECT_LE(plain.residual(folded, there), 1e-9) << seed;
    EXPECT_LE(singular_values(plain, folded, there).minCoeff(), 1e-4) << seed;
    EXPECT_NEAR((there - as_vector<double>(x)).norm(), found.fold->distance, 1e-9);
    for (std::uint64_t r = 0; r < 30; ++r) {
      Eigen::VectorXd v = as_vector<double>(random_numbers<double>(3, 100 * seed + r)).normalized();
      const double most = 0.99 * found.fold->distance;
      const Branch branch = branch_through(along_direction<double>(network, x, {v.data(), 3}), 0, state,
                                           {.low = -most, .high = most, .stability = false});
      EXPECT_TRUE(branch.turnings.empty()) << seed << ", direction " << r;
    }
  }
  EXPECT_GE(folds, 3u);
}

}  // namespace
}  // namespace irn
