#include "irn/report/time_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace irn::report {
namespace {

TEST(TimeWords, DurationsHaveTheUnitsThatMatter) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(0.4234), "0.42 s");
  EXPECT_EQ(duration_text(99.2), "99 s");
  EXPECT_EQ(duration_text(99.7), "1 min 40 s");
  EXPECT_EQ(duration_text(725), "12 min 05 s");
  EXPECT_EQ(duration_text(3599.6), "1 h 00 min");
  EXPECT_EQ(duration_text(3 * 3600 + 7 * 60 + 20), "3 h 07 min");
}

TEST(TimeWords, DatesAreOfThisMinute) {
  EXPECT_THAT(date_now(), testing::MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}"));
}

}  // namespace
}  // namespace irn::report
