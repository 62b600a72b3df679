#include "irn/train/unseen_inputs.h"

#include <gtest/gtest.h>

#include "irn/data/sample_table.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

TEST(UnseenInputs, StartWithoutEffectAndTheOthersAsTheyWere) {
  std::vector<double> inputs(3 * 100);  // the second is always zero, the third until the last sample
  for (std::size_t s = 0; s < 100; ++s) inputs[3 * s] = double(s) - 50;
  inputs.back() = 1;
  const SampleTable<double> training(3, 0, inputs, {});
  NetworkOf<double> network(from_text<Architecture>("3-4tanh-2identity/lateral+0:2"), Start::scaled, 7);
  const std::vector<double> before = network.dense_b();
  clear_unseen_inputs(network, training);
  const std::vector<double> after = network.dense_b();
  ASSERT_EQ(before.size(), 3u * 6);
  for (std::size_t k = 0; k < after.size(); ++k) {
    EXPECT_NE(before[k], 0) << k;
    EXPECT_EQ(after[k], k % 3 == 1 ? 0 : before[k]) << k;
  }
}

}  // namespace
}  // namespace irn
