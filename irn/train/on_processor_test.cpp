#include "irn/train/on_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace irn {
namespace {

using testing::HasSubstr;

std::string said_on(const char* device, TrainOptions options) {
  options.gradient.settle.device = from_text<Device>(device);
  return refusal([&] { check_device(options); });
}

TEST(OnProcessor, DevicesRefuseWhatTheProcessorAloneHas) {
  EXPECT_THAT(said_on("cuda:1", {.dropout = 0.2}), HasSubstr("dropout: device cuda:1 does not have it"));
  EXPECT_THAT(said_on("cuda", {.normalise = true}), HasSubstr("normalise: device cuda does not have it"));
  EXPECT_EQ(said_on("cuda", {}), "");
  EXPECT_EQ(said_on("cpu", {.dropout = 0.2, .normalise = true}), "");
}

}  // namespace
}  // namespace irn
