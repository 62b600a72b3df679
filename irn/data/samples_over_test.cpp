#include "irn/data/samples_over.h"

#include <gtest/gtest.h>

#include "irn/data/weighted_samples.h"
#include "tests/support/full_samples.h"

namespace irn {
namespace {

class SameInputs : public SamplesOver<float> {
 public:
  using SamplesOver::SamplesOver;
  std::uint64_t inputs_id() const override { return samples().inputs_id(); }
};

TEST(SamplesOver, PassEverythingOnButTheNameOfTheInputs) {
  const FullSamples all;
  expect_passed_on(SameInputs(all), all, Changes::nothing);
  EXPECT_EQ(SamplesOver<float>(all).inputs_id(), 0);
}

TEST(WeightedSamples, PassOnAllButTheWeights) {
  const FullSamples all;
  const WeightedSamples<float> weighted(all, {7, 8, 9});
  expect_passed_on(weighted, all, Changes::weights);
  EXPECT_EQ(SamplesText(weighted).weights, (std::vector<float>{9, 7}));
}

}  // namespace
}  // namespace irn
