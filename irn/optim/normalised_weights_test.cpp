#include "irn/optim/normalised_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "irn/network/network.h"
#include "irn/optim/optimiser.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

TEST(NormalisedWeights, RowsAreThoseOfMatricesAndKernels) {
  const auto architecture = from_text<Architecture>("1x5x5-3k3relu-2identity/none+1:1=conv1");
  std::size_t numbers = 0, rows = 0;
  for (const WeightRows& r : weight_rows(architecture)) rows += r.rows, numbers += r.rows * r.size;
  EXPECT_EQ(numbers, 3u * 9 + 3 * 3 + 75 * 2);  // all but the biases
  EXPECT_EQ(rows, 3u + 3 + 2);
}

// L(w) by central differences in g and v, where w = g v / |v|.
TEST(NormalisedWeights, GradientAgreesWithCentralDifferences) {
  const std::vector<double> w = random_numbers<double>(7, 1), slope = random_numbers<double>(7, 2);
  const auto loss = [&](const std::vector<double>& at) {
    double sum = 0;
    for (std::size_t i = 0; i < 7; ++i) sum += slope[i] * at[i];
    return sum;
  };
  NormalisedWeights<double> weights({{0, 2, 3}}, 7);  // two rows of three, and one that is learnt as it is
  weights.split(w, slope);
  const auto loss_at = [&](std::size_t k, double change) {
    NormalisedWeights<double> changed({{0, 2, 3}}, 7);
    changed.split(w, slope);
    changed.learnt()[k] += change;
    std::vector<double> at = w;
    EXPECT_TRUE(changed.join(at));
    return loss(at);
  };
  ASSERT_EQ(weights.learnt().size(), 9u);
  for (std::size_t k = 0; k < 9; ++k)
    EXPECT_NEAR(weights.gradient()[k], (loss_at(k, 1e-6) - loss_at(k, -1e-6)) / 2e-6, 1e-8) << k;
}

TEST(NormalisedWeights, NothingChangesWithoutAStep) {
  const std::vector<float> w = random_numbers<float>(60, 1), none(60);
  NormalisedWeights<float> weights({{0, 5, 10}}, 60);
  weights.split(w, none);
  std::vector<float> back = w;
  EXPECT_TRUE(weights.join(back));
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(back[i], w[i], 1e-7);
}

// A step of a given rate turns large weights by the same angle as small ones.
TEST(NormalisedWeights, AStepTurnsLargeAndSmallWeightsAlike) {
  const auto turned = [](double size) {
    std::vector<double> w = random_numbers<double>(20, 1, size);
    const std::vector<double> before = w, gradient = random_numbers<double>(20, 2);
    OptimiserOf<double> optimiser(Adam{.rate = 0.01}, 20, {{0, 1, 20}});
    EXPECT_EQ(optimiser.step(w, gradient), StepOutcome::applied);
    const auto dot = [](const auto& a, const auto& b) {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    return std::acos(dot(w, before) / std::sqrt(dot(w, w) * dot(before, before)));
  };
  EXPECT_GT(turned(1), 0.01);
  EXPECT_NEAR(turned(1), turned(100), 1e-6);
}

TEST(NormalisedWeights, ARowOfZerosIsLearntAsItIs) {
  std::vector<double> w(4, 0.0);
  const std::vector<double> gradient = {1, -2, 3, -4};
  OptimiserOf<double> optimiser(Sgd{.rate = 0.1, .momentum = 0}, 4, {{0, 1, 4}});
  EXPECT_EQ(optimiser.step(w, gradient), StepOutcome::applied);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(w[i], -0.1 * gradient[i]);
}

// Their squares are zero, and so they have no length either.
TEST(NormalisedWeights, ARowOfTinyWeightsIsLearntAsItIs) {
  const std::vector<double> w = {1e-170, -2e-170}, none(2);
  NormalisedWeights<double> weights({{0, 1, 2}}, 2);
  weights.split(w, none);
  std::vector<double> back = w;
  EXPECT_TRUE(weights.join(back));
  EXPECT_EQ(back, w);
}

TEST(NormalisedWeights, WhatLeavesTheRangeOfNumbersKeepsItsValue) {
  std::vector<float> w = {3e38f, 1e38f, 1, 2};
  const std::vector<float> before = w, gradient = {-1e3f, -1e3f, -1, -1};
  OptimiserOf<float> optimiser(Sgd{.rate = 1e6, .momentum = 0}, 4, {{0, 2, 2}});
  (void)optimiser.step(w, gradient);
  for (const float v : w) EXPECT_TRUE(std::isfinite(v));
}

}  // namespace
}  // namespace irn
