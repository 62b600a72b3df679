#include "irn/train/image_architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Architecture made(std::string_view convolutions, std::vector<std::size_t> layers,
                  std::string_view recurrence) {
  return image_architecture({1, 28, 28}, convolutions, layers, "relu", 10, recurrence);
}
Architecture read(const char* text) { return from_text<Architecture>(text); }

TEST(ImageArchitecture, IsWhatTheShortFormSays) {
  EXPECT_EQ(made("32k5s2,64k3s2", {}, "none"), read("1x28x28-32k5s2relu-64k3s2relu-10identity/none"));
  EXPECT_EQ(made("none", {64}, "lateral"), read("1x28x28-64relu-10identity/none+1:1"));
  EXPECT_EQ(made("32k5s2,64k3s2", {}, "lateral"),
            read("1x28x28-32k5s2relu-64k3s2relu-10identity/none+2:2=conv3"));
  EXPECT_EQ(made("32k5s2-64k3s2", {}, "none"), made("32k5s2,64k3s2", {}, "none"));
  EXPECT_EQ(made("32k5s2", {}, "lateral=conv1"), read("1x28x28-32k5s2relu-10identity/none+1:1=conv1"));
  EXPECT_EQ(made("8k3,pool2,16k3tanh", {64}, "lateral"),
            read("1x28x28-8k3relu-pool2-16k3tanh-64relu-10identity/none+3:3=conv3+4:4"));
  EXPECT_EQ(made("8k5s2,16k3s2", {64, 32}, "feedback"),
            read("1x28x28-8k5s2relu-16k3s2relu-64relu-32relu-10identity/none+2:1=tconv3s2+4:3+5:4"));
}

TEST(ImageArchitecture, KnowsConvolutions) {
  EXPECT_TRUE(has_convolutions(read("1x28x28-8k5s2relu-10/none")));
  EXPECT_TRUE(has_convolutions(read("49-8x14x14relu-1x28x28/none+1:2=tconv4s2p1")));
  EXPECT_FALSE(has_convolutions(read("1x28x28-pool2-10/none")));
  EXPECT_FALSE(has_convolutions(read("784-64relu-10/none")));
}

TEST(ImageArchitecture, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal([] { made("8k99p0", {}, "none"); }), AllOf(HasSubstr("layer 1"), HasSubstr("1x28x28")));
  EXPECT_THAT(refusal([] { made("8k3", {}, "sideways"); }), HasSubstr("sideways"));
  EXPECT_THAT(refusal([] { made("8k3", {}, "lateral=conv3s2"); }),
              AllOf(HasSubstr("1:1"), HasSubstr("8x14x14")));
  for (const char* text : {"8k3,,8", "8k3 ,8k3", "8k3/full", "8k3+1:1", "8K3", ",8k3"})
    EXPECT_THAT(refusal([&] { made(text, {}, "none"); }), HasSubstr("is no layer")) << text;
  EXPECT_THAT(refusal([] { made("8k3", {}, "feedback=conv3"); }),
              AllOf(HasSubstr("feedback=conv3"), HasSubstr("lateral=conv3")));
}

}  // namespace
}  // namespace irn
