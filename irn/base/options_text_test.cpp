#include "irn/base/options_text.h"

#include <gtest/gtest.h>

#include <string>

#include "irn/base/error.h"

namespace irn {
namespace {

struct Walk {
  static constexpr std::string_view name = "walk";
  double step = 0.5;
  std::size_t steps = 30;
  int bias = -1;
  bool loop = false;
  template <class Visit>
  void fields(Visit&& visit) {
    visit("step", step);
    visit("steps", steps);
    visit("bias", bias);
    visit("loop", loop);
  }
};

struct Rest {
  static constexpr std::string_view name = "rest";
};

using Motion = std::variant<Walk, Rest>;

std::string refusal(const std::string& text) {
  try {
    parse_choice<Motion>(text, "motion");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OptionsText, ANameAloneGivesTheDefaults) {
  const Walk walk = std::get<Walk>(parse_choice<Motion>("walk", "motion"));
  EXPECT_EQ(walk.step, 0.5);
  EXPECT_EQ(walk.steps, 30u);
  EXPECT_TRUE(std::holds_alternative<Rest>(parse_choice<Motion>("rest", "motion")));
}

TEST(OptionsText, EveryFieldTypeIsRead) {
  const Walk walk =
      std::get<Walk>(parse_choice<Motion>("walk:loop=true,step=1e-3,bias=-7,steps=9", "motion"));
  EXPECT_EQ(walk.step, 1e-3);
  EXPECT_EQ(walk.steps, 9u);
  EXPECT_EQ(walk.bias, -7);
  EXPECT_TRUE(walk.loop);
}

TEST(OptionsText, PrintingLeavesDefaultsOutAndReadsBackToTheSameBits) {
  EXPECT_EQ(to_text(Motion(Walk{})), "walk");
  EXPECT_EQ(to_text(Motion(Walk{.step = 0.1, .loop = true})), "walk:step=0.1,loop=true");
  EXPECT_EQ(to_full_text(Motion(Walk{})), "walk:step=0.5,steps=30,bias=-1,loop=false");
  const double third = 1.0 / 3.0;
  const Motion again = parse_choice<Motion>(to_text(Motion(Walk{.step = third})), "motion");
  EXPECT_EQ(std::get<Walk>(again).step, third);
}

TEST(OptionsText, TheListNamesAllChoicesInOrder) {
  EXPECT_EQ(names<Motion>(), (std::vector<std::string_view>{"walk", "rest"}));
}

TEST(OptionsText, ARefusalNamesTheOffendingPart) {
  EXPECT_NE(refusal("wlak").find("unknown motion \"wlak\""), std::string::npos) << refusal("wlak");
  EXPECT_NE(refusal("wlak").find("walk"), std::string::npos);
  EXPECT_NE(refusal("walk:stepp=1").find("\"stepp\""), std::string::npos) << refusal("walk:stepp=1");
  EXPECT_NE(refusal("rest:step=1").find("takes no settings"), std::string::npos) << refusal("rest:step=1");
}

TEST(OptionsText, MalformedTextIsRefused) {
  for (const char* text : {"", ":", ":step=1", "walk:", "walk:step", "walk:step=", "walk:=1", "walk:step=1,",
                           "walk:step=1,step=2", "walk:step=1x", "walk:step=nan", "walk:step=inf",
                           "walk:steps=-1", "walk:steps=1.5", "walk:loop=yes", "walk:bias=99999999999",
                           "walk:step=1,,steps=2", "walk: step=1", "walk "})
    EXPECT_FALSE(refusal(text).empty()) << "accepted: " << text;
}

TEST(OptionsText, AFailedReadLeavesTheValueAlone) {
  double value = 3;
  EXPECT_FALSE(read_value("4 ", value));
  EXPECT_FALSE(read_value("inf", value));
  EXPECT_EQ(value, 3);
}

}  // namespace
}  // namespace irn
