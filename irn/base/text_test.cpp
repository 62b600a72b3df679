#include "irn/base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace irn {
namespace {

using namespace std::literals;

constexpr std::array solvers = {"euler"sv, "rk4"sv, "rk45"sv, "anderson"sv, "newton"sv, "pseudo-transient"sv};

TEST(Join, PutsTheSeparatorBetweenWordsOnly) {
  EXPECT_EQ(join(std::array{"a"sv, "b"sv, "c"sv}), "a, b, c");
  EXPECT_EQ(join(std::array{"a"sv, "b"sv}, " | "), "a | b");
  EXPECT_EQ(join(std::array{"a"sv}), "a");
  EXPECT_EQ(join({}), "");
}

TEST(EditDistance, CountsSingleEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("netwon", "newton"), 1u) << "neighbours swapped are one slip, not two";
}

TEST(Closest, FindsTheNameThatWasMeant) {
  EXPECT_EQ(closest("andersen", solvers), "anderson");
  EXPECT_EQ(closest("netwon", solvers), "newton");
  EXPECT_EQ(closest("rk3", solvers), "rk4");
  EXPECT_EQ(closest("Euler", solvers), "euler");
  EXPECT_EQ(closest("pseudo", solvers), "pseudo-transient");
}

TEST(Closest, DoesNotGuess) {
  EXPECT_EQ(closest("simplex", solvers), "");
  EXPECT_EQ(closest("", solvers), "");
  EXPECT_EQ(closest("euler", {}), "");
  EXPECT_EQ(closest("y", std::vector<std::string_view>{"a", "b"}), "") << "nothing of the name is left";
}

TEST(UnknownName, NamesTheThingAndTheRemedy) {
  const std::array known = {"euler"sv, "rk4"sv};
  EXPECT_EQ(unknown_name("solver", "rk3", known),
            "unknown solver \"rk3\": did you mean \"rk4\"? Known: euler, rk4");
  EXPECT_EQ(unknown_name("solver", "simplex", known), "unknown solver \"simplex\". Known: euler, rk4");
}

TEST(Text, ACellIsQuotedWhereAReaderCouldMistakeIt) {
  EXPECT_EQ(csv_cell("plain text; 1.5"), "plain text; 1.5");
  EXPECT_EQ(csv_cell(""), "");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_cell(" blank"), "\" blank\"");
  EXPECT_EQ(csv_cell("blank "), "\"blank \"");
  EXPECT_EQ(csv_cell("tab\t"), "\"tab\t\"");
}

TEST(Text, OfOthersIsOneLine) {
  EXPECT_EQ(one_line("plain, na\u00EFve \"quoted\""), "plain, na\u00EFve \"quoted\"");
  EXPECT_EQ(one_line("a\nb\r\n\tc"), "a\\nb\\r\\n\\tc");
  EXPECT_EQ(one_line(std::string("\x1B[31m\0\x7F", 7)), "\\x1B[31m\\x00\\x7F");
  EXPECT_EQ(one_line("na\xEFve\xC3"), "na\\xEFve\\xC3");
  EXPECT_EQ(one_line(""), "");
}

}  // namespace
}  // namespace irn
