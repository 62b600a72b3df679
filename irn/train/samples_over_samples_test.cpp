// Training wraps samples in samples; each wrapper changes its own part and passes on the rest.
#include <gtest/gtest.h>

#include "irn/train/augmented_samples.h"
#include "irn/train/batch_rows.h"
#include "irn/train/class_weights.h"
#include "irn/train/dropout_samples.h"
#include "irn/train/noisy_samples.h"
#include "tests/support/full_samples.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

// As many neurons as there are gates, as many inputs as a sample has.
Architecture five_neurons() { return from_text<Architecture>("4-3tanh-2identity"); }

TEST(SamplesOverSamples, ChangeTheirOwnPartAlone) {
  const FullSamples all;
  expect_passed_on(NoisySamples<float>(all, 0, 5), all, Changes::nothing);
  expect_passed_on(NoisySamples<float>(all, 0.1, 5), all, Changes::inputs);
  const Augmentation cut{.cutout = 1};
  expect_passed_on(AugmentedSamples<float>(all, cut, {1, 2, 2}, 5), all, Changes::inputs);
  expect_passed_on(ClassWeighted<float>(all, {1, 2}), all, Changes::weights);
  expect_passed_on(DropoutSamples<float>(all, five_neurons(), 0, 5), all, Changes::nothing);
  expect_passed_on(DropoutSamples<float>(all, five_neurons(), 0.5, 5), all, Changes::gates);
}

TEST(SamplesOverSamples, DropoutMultipliesTheGatesThatAreThere) {
  const FullSamples all;
  const SamplesText theirs(all), own(DropoutSamples<float>(all, five_neurons(), 0.5, 5));
  for (std::size_t k = 0; k < own.gates.size(); ++k) {
    const float share = own.gates[k] / theirs.gates[k];
    EXPECT_TRUE(k % 5 < 3 ? share == 0 || share == 2 : share == 1) << k << ": " << share;
  }
  EXPECT_NE(refusal([&] { DropoutSamples<float>(all, from_text<Architecture>("4-2identity"), 0.5, 5); }), "");
}

TEST(SamplesOverSamples, ABatchHasTheGatesOfItsSamples) {
  const FullSamples all;
  ThreadPool threads(1);
  BatchRows<float> batch;
  const std::vector<std::uint64_t> index = {1, 0, 2};
  batch.fill(all, index, threads);
  std::vector<float> gates(5), theirs(5);
  batch.gates_as_rows(std::vector<std::uint64_t>{0}, gates.data());
  all.gates_as_rows(std::vector<std::uint64_t>{1}, theirs.data());
  EXPECT_EQ(gates, theirs);
}

}  // namespace
}  // namespace irn
