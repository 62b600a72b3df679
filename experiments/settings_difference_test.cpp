#include "experiments/settings_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace irn::experiments {
namespace {

const Json sweep = {{"data", "c959"},
                    {"folds", 3},
                    {"group", ""},
                    {"settings", "# Data\ntarget = [ 'kind' ]\n\n# Training\nbatch = 'auto'\nseed = 0\n"},
                    {"space", {"rate = 0.1\nepochs = 3\n", "rate = 0.2\nepochs = 3\n"}},
                    {"trials", 2}};

Json with(const std::string& key, const Json& value) {
  Json changed = sweep;
  changed[key] = value;
  return changed;
}

TEST(SettingsDifference, IsEmptyWhereAllIsTheSame) {
  EXPECT_EQ(settings_difference(sweep, sweep), "");
  Json more = sweep;
  more["irn"] = "0.3";  // irn stored it, but no request contains it
  EXPECT_EQ(settings_difference(more, sweep), "");
}

TEST(SettingsDifference, NamesEachSettingWithBothValues) {
  EXPECT_EQ(settings_difference(sweep, with("folds", 5)), "folds was 3, now 5");
  EXPECT_EQ(settings_difference(sweep, with("group", "site")), "group was '', now 'site'");
  EXPECT_EQ(
      settings_difference(sweep, with("settings", "# Data\ntarget = [ 'kind' ]\nbatch = 16\nseed = 1\n")),
      "batch was 'auto', now 16; seed was 0, now 1");
  EXPECT_EQ(settings_difference(sweep, with("settings", "target = [ 'kind' ]\nbatch = 'auto'\npull = 0\n")),
            "pull was none, now 0; seed was 0, now none");
  EXPECT_EQ(settings_difference(Json::object(), {{"seed", 1}}), "seed was none, now 1");
  EXPECT_EQ(settings_difference(Json::array(), {{"seed", 1}}), "seed was none, now 1");
}

TEST(SettingsDifference, SaysOfDataThatTheyHaveChanged) {
  EXPECT_EQ(settings_difference(sweep, with("data", "0000")), "the data has changed");
}

TEST(SettingsDifference, TellsWhatWasTriedWhereThatSaysMore) {
  EXPECT_EQ(
      settings_difference(sweep, with("space", {"rate = 0.1\nepochs = 3\n", "rate = 0.3\nepochs = 3\n"})),
      "rate was [0.1, 0.2], now [0.1, 0.3]");
  EXPECT_EQ(
      settings_difference(sweep, with("space", {"rate = 0.2\nepochs = 3\n", "rate = 0.1\nepochs = 3\n"})),
      "rate was [0.1, 0.2], now [0.2, 0.1]");
  Json other =
      with("space", {"rate = 0.5\n", "rate = 0.6\n", "rate = 0.7\n", "rate = 0.8\n", "rate = 0.9\n"});
  other["trials"] = 5;
  EXPECT_EQ(settings_difference(sweep, other),
            "trials was 2, now 5; rate was [0.1, 0.2], now [0.5, 0.6, 0.7, 0.8, ... 5 values]; "
            "epochs was 3, now none");
  other["folds"] = 5;  // which may be why the trials differ
  EXPECT_EQ(settings_difference(sweep, other), "folds was 3, now 5; trials was 2, now 5");
  Json more =
      with("space", {"rate = 0.1\nepochs = 3\n", "rate = 0.2\nepochs = 3\n", "rate = 0.3\nepochs = 3\n"});
  EXPECT_NE(settings_difference(sweep, more), "");
  more["trials"] = 3;
  EXPECT_EQ(settings_difference(sweep, more), "trials was 2, now 3");
}

// The same values in other combinations: no value is new.
TEST(SettingsDifference, IsNeverEmptyWhereSomethingDiffers) {
  const Json a = {{"space", {"a = 1\nb = 1\n", "a = 2\nb = 2\n", "a = 1\nb = 2\n"}}},
             b = {{"space", {"a = 1\nb = 1\n", "a = 2\nb = 2\n", "a = 2\nb = 1\n"}}};
  EXPECT_EQ(settings_difference(a, b), "space has changed");
}

}  // namespace
}  // namespace irn::experiments
