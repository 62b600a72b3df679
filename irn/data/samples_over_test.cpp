#include "irn/data/samples_over.h"

#include <gtest/gtest.h>

#include "irn/data/weighted_samples.h"
#include "tests/support/full_samples.h"

namespace irn {
namespace {

TEST(SamplesOver, PassEverythingOn) {
  const FullSamples all;
  expect_passed_on(SamplesOver<float>(all), all, Changes::nothing);
}

TEST(WeightedSamples, PassOnAllButTheWeights) {
  const FullSamples all;
  const WeightedSamples<float> weighted(all, {7, 8, 9});
  expect_passed_on(weighted, all, Changes::weights);
  EXPECT_EQ(SamplesText(weighted).weights, (std::vector<float>{9, 7}));
}

}  // namespace
}  // namespace irn
