#include <gtest/gtest.h>

#include <string>

#include "irn/base/error.h"
#include "irn/base/version.h"

namespace irn {
namespace {

TEST(Error, CarriesItsMessage) {
  const Error error("layer 2 is empty: give it at least one neuron");
  EXPECT_STREQ(error.what(), "layer 2 is empty: give it at least one neuron");
}

TEST(Version, IsMajorMinorPatch) {
  const std::string parts = std::to_string(IRN_VERSION_MAJOR) + "." + std::to_string(IRN_VERSION_MINOR) +
                            "." + std::to_string(IRN_VERSION_PATCH);
  EXPECT_EQ(parts, IRN_VERSION);
}

}  // namespace
}  // namespace irn
