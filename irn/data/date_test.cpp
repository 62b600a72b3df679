#include "irn/data/date.h"

#include <gtest/gtest.h>

#include <chrono>

#include <fmt/format.h>

namespace irn {
namespace {

constexpr auto day_first = DateOrder::day_first, month_first = DateOrder::month_first;

double days(int year, unsigned month, unsigned day) {
  namespace chrono = std::chrono;
  const chrono::sys_days date{chrono::year{year} / chrono::month{month} / chrono::day{day}};
  return static_cast<double>(date.time_since_epoch().count());
}

TEST(Date, WaysToWriteADayThatNeedNoGuess) {
  for (const char* text :
       {"2024-03-05", "2024/3/5", "2024.03.05", "2024-W10-2", "05.03.2024", "5.3.2024", "5 Mar 2024",
        "05-Mar-2024", "5 March 2024", "Mar 5, 2024", "march 5 2024", "Mar. 5, 2024", "20240305T0000"})
    for (const DateOrder order : {day_first, month_first})
      EXPECT_EQ(parse_date(text, order), days(2024, 3, 5)) << text;
  EXPECT_EQ(parse_date("2024-03", day_first), days(2024, 3, 1));
}

TEST(Date, TheOrderTellsDayFromMonthWhereTheTextDoesNot) {
  EXPECT_EQ(parse_date("05/03/2024", day_first), days(2024, 3, 5));
  EXPECT_EQ(parse_date("05/03/2024", month_first), days(2024, 5, 3));
  EXPECT_EQ(parse_date("5-3-2024 6:00", month_first), days(2024, 5, 3) + 0.25);
  EXPECT_FALSE(parse_date("25/03/2024", month_first));
}

TEST(Date, TimesAndZones) {
  const double day = days(2024, 3, 5);
  EXPECT_EQ(parse_date("2024-03-05T12:00:00Z", day_first), day + 0.5);
  EXPECT_EQ(parse_date("2024-03-05 12:00", day_first), day + 0.5);
  EXPECT_EQ(parse_date("2024-03-05T13:00:00+01:00", day_first), day + 0.5);
  EXPECT_EQ(parse_date("2024-03-05T07:00-0500", day_first), day + 0.5);
  EXPECT_EQ(parse_date("20240305T120000Z", day_first), day + 0.5);
  EXPECT_EQ(parse_date("3/5/2024 12:00 AM", month_first), day);
  EXPECT_EQ(parse_date("3/5/2024 6:00:00 pm", month_first), day + 0.75);
  EXPECT_EQ(parse_date("2024-03-05T24:00", day_first), day + 1);
  EXPECT_DOUBLE_EQ(*parse_date("2024-03-05T00:00:21.6", day_first), day + 21.6 / 86400);
}

TEST(Date, WhatIsNoDate) {
  for (const char* text : {"",
                           "2024",
                           "20240305",
                           "3.14",
                           "2023-02-29",
                           "2024-13-01",
                           "2024-00-10",
                           "05.03.24",
                           "2024-3",
                           "2024-W54-1",
                           "2023-W53-1",
                           "2024-03-05T",
                           "2024-03-05T25:00",
                           "2024-03-05 12",
                           "2024-03-05 12:60",
                           "2024-03-05x",
                           "2024-03/05",
                           "Mai 5, 2024",
                           "5 Foo 2024",
                           "2024-03-05T12:00 CET",
                           "1-800-5551234",
                           "192.168.1.1",
                           "0000-01-01",
                           "12:30",
                           "13/13/2024",
                           "2024-03-05 13:00 PM",
                           "555-1234"})
    for (const DateOrder order : {day_first, month_first}) EXPECT_FALSE(parse_date(text, order)) << text;
}

TEST(Date, EveryDayOfFourCenturiesComesBack) {
  for (double day = days(1801, 1, 1); day < days(2201, 1, 1); ++day) {
    const std::string text = date_text(day);
    ASSERT_EQ(parse_date(text, day_first), day) << text;
    const auto part = [&](DatePart p) { return static_cast<int>(date_part(day, p)); };
    ASSERT_EQ(
        fmt::format("{:04}-{:02}-{:02}", part(DatePart::year), part(DatePart::month), part(DatePart::day)),
        text);
    ASSERT_EQ(part(DatePart::weekday), (part(DatePart::days) % 7 + 7 + 3) % 7 + 1);  // day 0 was a Thursday
  }
}

TEST(Date, EveryHourIsTheHourItWasWrittenAs) {
  for (int hour = 0; hour < 24; ++hour) {
    const double when = *parse_date(fmt::format("1999-12-31T{:02}:00", hour), day_first);
    EXPECT_EQ(date_part(when, DatePart::hour), hour);
    EXPECT_EQ(date_part(when, DatePart::day), 31);
  }
}

TEST(Date, WeeksAreThoseOfISO8601) {
  EXPECT_EQ(parse_date("2020-W53-5", day_first), days(2021, 1, 1));
  EXPECT_EQ(parse_date("2019-W01-1", day_first), days(2018, 12, 31));
}

}  // namespace
}  // namespace irn
