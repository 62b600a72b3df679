// New weights in place of the samples' own.
#include "irn/data/weighted_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "irn/data/sample_table.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

TEST(WeightedSamples, HaveTheValuesOfTheSamplesAndTheirOwnWeights) {
  const SampleTable<double> table(1, 1, {1, 2, 3}, {4, 5, 6}, {7, 8, 9});
  const WeightedSamples<double> weighted(table, {0, 0.5, 2});
  const std::vector<std::uint64_t> index = {2, 0, 1};
  std::vector<double> weights(3), inputs(3), targets(3);
  weighted.weights(index, weights.data());
  weighted.inputs_as_rows(index, inputs.data());
  weighted.targets_as_rows(index, targets.data());
  EXPECT_EQ(weights, (std::vector<double>{2, 0, 0.5}));
  EXPECT_EQ(inputs, (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(targets, (std::vector<double>{6, 4, 5}));
}

TEST(WeightedSamples, RefuseWeightsThatAreNone) {
  const SampleTable<double> table(1, 0, {1, 2}, {});
  EXPECT_THAT(refusal([&] { WeightedSamples<double>(table, {1}); }), ::testing::HasSubstr("1 weights for 2"));
  EXPECT_NE(refusal([&] { WeightedSamples<double>(table, {1, -1}); }), "");
}

}  // namespace
}  // namespace irn
