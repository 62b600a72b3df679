#include "irn/data/table_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace irn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <class Make>
std::string refusal(const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<DatePart> parts(std::vector<std::string> words) { return date_parts_from(words); }

TEST(TableWords, DatesBecomeTheirPartsInTheOrderGiven) {
  EXPECT_THAT(parts({"days"}), IsEmpty()) << "a number like others";
  EXPECT_THAT(parts({"month", "days", "hour"}), ElementsAre(DatePart::month, DatePart::days, DatePart::hour));
  EXPECT_EQ(refusal([] { parts({"moth"}); }),
            "unknown value \"moth\": did you mean \"month\"? Known: days, year, month, day, weekday, hour");
  EXPECT_EQ(refusal([] { parts({"day", "day"}); }), "day is named twice");
  EXPECT_EQ(refusal([] { parts({}); }), "name what dates become, days for one");
}

TEST(TableWords, ManyTextsAreRefusedSharedOrHashed) {
  EXPECT_EQ(many_texts_from("all").kind, ManyTexts::Kind::refuse);
  EXPECT_EQ(many_texts_from("frequent:7").kind, ManyTexts::Kind::frequent);
  EXPECT_EQ(many_texts_from("hashed:64").most, 64u);
  for (const char* bad : {"frequent", "frequent:", "hashed:0", "hashed:10001", "hashed:-1", "all:3"})
    EXPECT_EQ(refusal([&] { many_texts_from(bad); }),
              "\"" + std::string(bad) + "\" needs a number of units from 1 to 10000, as in frequent:100");
  EXPECT_THAT(refusal([] { many_texts_from("frequnt:7"); }),
              testing::HasSubstr("did you mean \"frequent\"?"));
}

TEST(TableWords, MarksOfCsv) {
  EXPECT_EQ(header_from("no"), HeaderLine::absent);
  EXPECT_EQ(header_from("yes"), HeaderLine::present);
  EXPECT_EQ(delimiter_from("tab"), '\t');
  EXPECT_EQ(delimiter_from(";"), ';');
  EXPECT_EQ(decimal_from("auto", ','), ',') << "as a model has it";
  EXPECT_EQ(decimal_from(".", ','), '.');
  EXPECT_EQ(thousands_from("none", '.'), '\0');
  EXPECT_EQ(thousands_from("space"), ' ');
  EXPECT_EQ(refusal([] { delimiter_from("::"); }), "\"::\" is neither auto, tab nor a single character");
  EXPECT_EQ(refusal([] { decimal_from("comma"); }), "\"comma\" is neither auto, a point nor a comma");
  EXPECT_EQ(refusal([] { thousands_from("x"); }), "\"x\" is none of: none, space, a comma, a point, ' and _");
}

TEST(TableWords, WhatIsRefusedNamesItsOption) {
  EXPECT_EQ(refusal([] { named("--date-order", [] { return date_order_from("year"); }); }),
            "--date-order: unknown value \"year\". Known: auto, day, month");
}

}  // namespace
}  // namespace irn
