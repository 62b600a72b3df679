// Decimal commas, marks between thousands, and whole numbers that a double cannot hold.
#include "irn/data/csv_number-inl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "irn/data/csv.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Frame read(std::string_view text, const CsvOptions& options = {}) {
  MemorySource source("data.csv", text);
  ThreadPool pool(2);
  return read_csv(source, options, pool);
}

std::optional<double> number(std::string_view text, char decimal, char thousands) {
  double value = 0;
  if (!csv::is_number(text, {.delimiter = ';', .decimal = decimal, .thousands = thousands}, value)) return {};
  return value;
}

TEST(CsvNumbers, MarksStandBehindEveryThirdDigit) {
  EXPECT_EQ(number("1.234.567,5", ',', '.'), 1234567.5);
  EXPECT_EQ(number("-1,234,567.5e2", '.', ','), -123456750);
  EXPECT_EQ(number("12'345", '.', '\''), 12345);
  EXPECT_EQ(number("12_345", '.', '_'), 12345);
  EXPECT_EQ(number("1 234,5", ',', ' '), 1234.5);
  EXPECT_EQ(number("1\xC2\xA0"
                   "234,5",
                   ',', ' '),
            1234.5)
      << "a no-break space";
  EXPECT_EQ(number("1\xE2\x80\xAF"
                   "234,5",
                   ',', ' '),
            1234.5)
      << "a narrow one";
  EXPECT_EQ(number("1234,5", ',', '.'), 1234.5) << "they may be left out";
  EXPECT_EQ(number("+1,5", ',', '\0'), 1.5);
  for (const char* text :
       {"1.23", "12.34.567", "1234.567", "1..234", ".234", "1.234.", "1.2345", "1,5,5", ""})
    EXPECT_FALSE(number(text, ',', '.')) << text;
  EXPECT_FALSE(number("1.5", ',', '\0')) << "the other mark is none";
}

TEST(CsvNumbers, DecimalCommasAreFoundOutWhereNothingElseCanBeMeant) {
  const Frame frame = read("a;b\n1,5;2\n-0,25;3,125\n");
  EXPECT_EQ(frame.format().decimal, ',');
  EXPECT_THAT(frame.row(0), ElementsAre(1.5, 2));
  EXPECT_THAT(frame.row(1), ElementsAre(-0.25, 3.125));
  EXPECT_THAT(read("1,5;2,5\n3,5;4,5\n").row(0), ElementsAre(1.5, 2.5)) << "without a header";
  EXPECT_THAT(read("a,b\n\"1,5\",2\n").row(0), ElementsAre(1.5, 2)) << "in quotes";
  EXPECT_THAT(read("a\tb\n1,5\t2\n").row(0), ElementsAre(1.5, 2));
}

TEST(CsvNumbers, InDoubtAPointIsTheDecimalMark) {
  for (const char* text : {"a;b\n1,234;2\n", "a;b\n1,5;2.5\n", "a;b\n1,5,5;2\n"}) {
    const Frame frame = read(text);
    EXPECT_EQ(frame.format().decimal, '.') << text;
    EXPECT_TRUE(frame.columns()[0].text) << text;
  }
  EXPECT_THAT(read("a;b\n1,234;2\n", {.decimal = ','}).row(0), ElementsAre(1.234, 2));
  EXPECT_THAT(read("a;b\n1,234;2\n", {.thousands = ','}).row(0), ElementsAre(1234, 2));
}

TEST(CsvNumbers, ACommaThatWasAskedForIsNoDelimiterIfThereIsAnother) {
  EXPECT_THAT(read("a,x;b,x\n1,5;2,5\n", {.decimal = ','}).row(0), ElementsAre(1.5, 2.5));
  EXPECT_THAT(read("a,b\n\"1,5\",\"2,5\"\n", {.decimal = ','}).row(0), ElementsAre(1.5, 2.5));
}

TEST(CsvNumbers, OtherMarksAreFoundWhereTheyMakeANumber) {
  const auto other = [](std::string_view text, char decimal, char thousands) -> std::string {
    const auto found = csv::other_marks(text, {.decimal = decimal, .thousands = thousands});
    return found ? std::string{found->decimal, found->thousands == '\0' ? '-' : found->thousands} : "";
  };
  EXPECT_EQ(other("13,17", '.', '\0'), ",-");
  EXPECT_EQ(other("1,234,567", '.', '\0'), ".,") << "no other decimal mark where that does";
  EXPECT_EQ(other("1.213,5", ',', '\0'), ",.");
  EXPECT_EQ(other("1.213,5", '.', '\0'), ",.");
  EXPECT_EQ(other("1.5", ',', '.'), ".-");
  EXPECT_EQ(other("1 234", '.', '\0'), ". ");
  for (const char* text : {"n.d.", "abc", "1,2,3", "12.34.5", ""})
    EXPECT_EQ(other(text, '.', '\0'), "") << text;
}

TEST(CsvNumbers, MarksThatMakeNoSenseAreRefused) {
  EXPECT_THAT(refusal([] { read("a\n1\n", {.decimal = 'x'}); }), HasSubstr("cannot be a decimal mark"));
  EXPECT_THAT(refusal([] { read("a\n1\n", {.decimal = ',', .thousands = ','}); }),
              HasSubstr("is the decimal mark"));
  EXPECT_THAT(refusal([] { read("a\n1\n", {.thousands = '7'}); }), HasSubstr("between thousands"));
}

TEST(CsvNumbers, WholeNumbersThatNameSomethingStayWhatTheyAre) {
  const char* file = "id,y\n1,9007199254740992\n2,9007199254740993\n3,9007199254740993\n";
  const Frame frame = read(file, {.exact = {"y"}});
  EXPECT_EQ(frame.columns()[1].categories,
            (std::vector<std::string>{"9007199254740992", "9007199254740993"}));
  EXPECT_FALSE(read(file).columns()[1].text) << "elsewhere they are numbers";
  EXPECT_FALSE(read("y\n1e300\n3\n", {.exact = {"y"}}).columns()[0].text) << "this is no name";
}

// A column that turns out late in the file to hold names is read again, as text.
TEST(CsvNumbers, AlsoBehindTheFirstBlock) {
  std::string file = "y\n";
  for (int i = 0; i < 1000; ++i) file += "5\n";
  file += "12345678901234567890\n";
  const Frame frame = read(file, {.exact = {"y"}, .block_bytes = 256, .piece_bytes = 64});
  EXPECT_EQ(frame.columns()[0].categories, (std::vector<std::string>{"5", "12345678901234567890"}));
}

}  // namespace
}  // namespace irn
