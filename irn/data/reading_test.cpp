// Columns of dates, of yes and no, and of texts that share units: from a table to inputs, through JSON, in
// other tables.
#include "irn/data/reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "irn/data/csv.h"
#include "irn/data/encoded_samples.h"
#include "irn/data/scaling.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Frame table(std::string_view text, const CsvOptions& options = {}) {
  MemorySource source("data.csv", text);
  ThreadPool pool(1);
  return read_csv(source, options, pool);
}

// The inputs without scaling, so that they can be read.
std::vector<double> inputs_of(const Frame& frame, Encoding encoding) {
  scale_inputs(encoding, Scaling::none);
  const EncodedSamples<double> samples(frame, encoding);
  std::vector<std::uint64_t> all(samples.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<double> out(samples.size() * samples.inputs());
  samples.inputs_as_rows(all, out.data());
  return out;
}

DetectedReading said(std::vector<std::string> texts, std::optional<DateOrder> order = {}) {
  return detect_reading({.name = "c", .text = true, .categories = std::move(texts)}, order);
}

TEST(Reading, WhatAllTextsOfAColumnSayTogether) {
  EXPECT_EQ(said({"yes", "NO"}).reading, Reading::boolean);
  EXPECT_EQ(said({"True", "false"}).reading, Reading::boolean);
  EXPECT_EQ(said({"yes"}).reading, Reading::boolean);
  EXPECT_FALSE(said({"yes", "false"}).reading) << "two pairs of words";
  EXPECT_FALSE(said({"yes", "no", "maybe"}).reading);
  EXPECT_EQ(said({"2024-03-05", "1.4.2024", "5 May 2024"}).reading, Reading::date);
  EXPECT_FALSE(said({"2024-03-05", "soon"}).reading);
  EXPECT_FALSE(said({}).reading);
}

TEST(Reading, DayAndMonthAreToldByTheWholeColumnOrNotAtAll) {
  EXPECT_EQ(said({"05/03/2024", "25/03/2024"}).reading, Reading::date_day_first);
  EXPECT_EQ(said({"05/03/2024", "03/25/2024"}).reading, Reading::date_month_first);
  EXPECT_EQ(said({"05/05/2024"}).reading, Reading::date) << "either way the same day";
  const DetectedReading open = said({"05/03/2024", "06/03/2024"});
  EXPECT_FALSE(open.reading);
  EXPECT_EQ(open.ambiguous, "05/03/2024");
  EXPECT_EQ(said({"05/03/2024"}, DateOrder::month_first).reading, Reading::date_month_first);
  EXPECT_EQ(said({"05/03/2024"}, DateOrder::day_first).reading, Reading::date_day_first);
  EXPECT_EQ(said({"2024-03-05"}, DateOrder::month_first).reading, Reading::date_month_first) << "for others";
  EXPECT_FALSE(said({"25/03/2024", "03/25/2024"}, DateOrder::day_first).reading) << "neither fits";
}

constexpr const char* visits =
    "when,member,paid\n1970-01-02,yes,1\n1970-01-03 12:00,no,2.5\n1970-03-01,yes,3\n1970-03-01,no,7\n";

TEST(Reading, DatesAreDaysAndYesIsOne) {
  const Frame frame = table(visits);
  const Encoding encoding = fit_encoding(frame, {.targets = {"paid"}});
  EXPECT_THAT(inputs_of(frame, encoding), ElementsAre(1, 1, 2.5, 0, 59, 1, 59, 0));
  EXPECT_EQ(encoding.input_names(), (std::vector<std::string>{"when", "member"}));
  EXPECT_DOUBLE_EQ(encoding.inputs[0].mean, 121.5 / 4);
  EXPECT_EQ(encoding.text_columns(), (std::vector<std::string>{"when", "member"}));
  EXPECT_EQ(encoding_from_json_text(to_json_text(encoding)), encoding);
}

TEST(Reading, PartsOfADateAreAUnitEach) {
  const Frame frame = table(visits);
  const Encoding encoding = fit_encoding(
      frame,
      {.targets = {"paid"},
       .excluded = {"member"},
       .date_parts = {DatePart::year, DatePart::month, DatePart::day, DatePart::weekday, DatePart::hour}});
  EXPECT_THAT(inputs_of(frame, encoding),
              ElementsAre(1970, 1, 2, 5, 0, 1970, 1, 3, 6, 12, 1970, 3, 1, 7, 0, 1970, 3, 1, 7, 0));
  EXPECT_EQ(encoding.input_names(),
            (std::vector<std::string>{"when.year", "when.month", "when.day", "when.weekday", "when.hour"}));
  EXPECT_EQ(encoding_from_json_text(to_json_text(encoding)), encoding);
}

TEST(Reading, ATargetOfYesAndNoStaysTwoClasses) {
  const Encoding encoding = fit_encoding(table(visits), {.targets = {"member"}});
  EXPECT_EQ(encoding.task, Task::classification);
  EXPECT_EQ(encoding.targets[0].categories, (std::vector<std::string>{"no", "yes"}));
  const Encoding numbers = fit_encoding(table(visits), {.targets = {"member"}, .task = Task::regression});
  EXPECT_EQ(numbers.targets[0].mean, 0.5);
}

TEST(Reading, ColumnsNamedAsTextAreText) {
  const Encoding encoding = fit_encoding(table(visits), {.targets = {"paid"}, .text = {"when", "member"}});
  EXPECT_EQ(encoding.inputs[0].categories.size(), 3u);
  EXPECT_EQ(encoding.inputs[1].categories, (std::vector<std::string>{"no", "yes"}));
}

TEST(Reading, ADateAsTargetIsItsDays) {
  std::string text = "x,due\n";
  for (int day = 1; day <= 28; ++day)
    text += std::to_string(day) + ",1970-02-" + (day < 10 ? "0" : "") + std::to_string(day) + "\n";
  const Frame frame = table(text);
  const Encoding encoding = fit_encoding(frame, {.targets = {"due"}, .date_parts = {DatePart::month}});
  EXPECT_EQ(encoding.task, Task::regression);
  EXPECT_DOUBLE_EQ(encoding.targets[0].mean, 31 + 13.5);
  EXPECT_TRUE(encoding.targets[0].parts.empty());
}

TEST(Reading, OtherTablesAreReadAsTheFirst) {
  const Encoding encoding = fit_encoding(table("when,y\n03/25/2024,1\n03/26/2024,2\n"), {.targets = {"y"}});
  const Frame other = table("when,y\n05/03/2024,1\n", {.text = encoding.text_columns()});
  EXPECT_THAT(inputs_of(other, encoding), ElementsAre(*parse_date("2024-05-03", DateOrder::day_first)));
  const auto refused = [&](const char* text) {
    return refusal([&] { inputs_of(table(text, {.text = encoding.text_columns()}), encoding); });
  };
  EXPECT_THAT(refused("when,y\n05/03/2024,1\n25/03/2024,1\n"),
              HasSubstr("data.csv, line 3, column 'when': '25/03/2024' has the day first, where the month is "
                        "expected first; write it as 2024-03-25, or say which comes first"));
  EXPECT_THAT(refused("when,y\n20240305,1\n"), HasSubstr("where dates are expected"));
  EXPECT_THAT(refusal([&] { inputs_of(table("when,y\n20240305,1\n"), encoding); }),
              HasSubstr("is a number where dates are expected"));
}

TEST(Reading, WhatTrainingDidNotTellIsNotGuessedLater) {
  Encoding encoding = fit_encoding(table("when,y\n2021-05-06,1\n5 June 2021,2\n"), {.targets = {"y"}});
  const auto read = [&](const std::string& date) {
    return inputs_of(table("when,y\n" + date + ",1\n", {.text = encoding.text_columns()}), encoding);
  };
  const auto refused = [&](const char* date) { return refusal([&] { read(date); }); };
  EXPECT_THAT(read("06.05.2021"), ElementsAre(*parse_date("2021-05-06", DateOrder::day_first)));
  EXPECT_THAT(read("05/05/2021"), ElementsAre(*parse_date("2021-05-05", DateOrder::day_first)))
      << "either way";
  EXPECT_THAT(
      refused("05/06/2021"),
      HasSubstr("line 2, column 'when': '05/06/2021' may have the day or the month first, and the dates of "
                "training do not tell which; write it as 2021-06-05 or 2021-05-06, or say which"));
  EXPECT_THAT(
      refused("12/25/2021"),
      HasSubstr("'12/25/2021' has the month first, and no date of training tells of such; write it as "
                "2021-12-25, or say which comes first"));
  EXPECT_THAT(refused("25-12-2021"), HasSubstr("'25-12-2021' has the day first"));
  EXPECT_THAT(refused("soon"), HasSubstr("'soon' is text where dates are expected; correct it"));
  set_date_order(encoding, DateOrder::month_first);
  EXPECT_THAT(read("05/06/2021"), ElementsAre(*parse_date("2021-05-06", DateOrder::day_first)));
  EXPECT_THAT(refused("25/12/2021"), HasSubstr("has the day first, where the month is expected first"));
  set_date_order(encoding, DateOrder::day_first);
  EXPECT_THAT(read("05/06/2021"), ElementsAre(*parse_date("2021-06-05", DateOrder::day_first)));
  EXPECT_THAT(refused("12/25/2021"), HasSubstr("has the month first, where the day is expected first"));
}

TEST(Reading, TheCellThatIsNoNumberIsNamedWhateverTheMarks) {
  const CsvOptions german{.decimal = ',', .thousands = '.'};
  const Encoding encoding = fit_encoding(table("Menge;y\n13,17;1\n1.213,5;2\n", german), {.targets = {"y"}});
  const auto refused = [&](const char* text, const CsvOptions& options) {
    return refusal([&] { inputs_of(table(text, options), encoding); });
  };
  EXPECT_THAT(
      refused("Menge;y\n13,17;1\n1.213,5;2\nabc;3\n", german),
      HasSubstr("data.csv, line 4, column 'Menge': 'abc' is text where numbers are expected; correct it"));
  EXPECT_THAT(refused("Menge;y\n13,17;1\nn.d.;3\n", german), ::testing::EndsWith("expected; correct it"))
      << "no mark would make it a number";
  EXPECT_THAT(
      refused("Menge;y\n13;1\n1.5;2\n", german),
      HasSubstr("line 3, column 'Menge': '1.5' is text where numbers are expected; correct it, or say what "
                "its decimal mark is"));
  EXPECT_THAT(
      refused("Menge;y\n13,5;1\n1.213,5;2\n", {.decimal = ','}),
      HasSubstr("line 3, column 'Menge': '1.213,5' is text where numbers are expected; correct it, or say "
                "what stands between its thousands"));
}

TEST(Reading, OneTextThatIsNoDateIsFound) {
  const auto found = [](std::vector<std::string> texts) {
    return first_that_is_no_date({.name = "when", .text = true, .categories = std::move(texts)});
  };
  EXPECT_EQ(found({"2021-03-01", "2021-02-30", "2021-03-02"}), 1u);
  EXPECT_EQ(found({"12/31/2021", "12/30/2021", "13/13/2021"}), 2u);
  EXPECT_FALSE(found({"2021-03-01", "2021-03-02"}));
  EXPECT_FALSE(found({"2021-03-01", "red", "blue"})) << "most are no dates";
}

TEST(Reading, MissingDatesTakeTheMean) {
  const Frame frame = table("when,y\n1970-01-02,1\n,2\n1970-01-04,3\n");
  const Encoding encoding = fit_encoding(
      frame, {.targets = {"y"}, .missing = Missing::mean, .date_parts = {DatePart::days, DatePart::month}});
  const EncodedSamples<double> samples(frame, encoding);
  std::vector<double> out(2, 99);
  const std::uint64_t second = 1;
  samples.inputs_as_rows({&second, 1}, out.data());
  EXPECT_THAT(out, ElementsAre(0, 0));
}

// ---- columns with many texts

std::string cities(std::size_t rare) {
  std::string text = "city,y\n";
  for (int i = 0; i < 6; ++i) text += i % 2 ? "Rome,1\n" : "Oslo,2\n";
  text += "Bern,1\nBern,2\n";
  for (std::size_t i = 0; i < rare; ++i)
    text += "town" + std::to_string(i) + "," + std::to_string(i) + ".5\n";
  return text;
}

TEST(ManyTextsTest, TheMostFrequentHaveAUnitEachAndTheOthersShareOne) {
  const Frame frame = table(cities(3));
  const Encoding encoding =
      fit_encoding(frame, {.targets = {"y"}, .many_texts = {ManyTexts::Kind::frequent, 3}});
  EXPECT_EQ(encoding.input_names(),
            (std::vector<std::string>{"city=Bern", "city=Oslo", "city=Rome", "city=(others)"}));
  EXPECT_EQ(encoding_from_json_text(to_json_text(encoding)), encoding);
  const Frame other = table("city,y\nRome,1\nParis,1\ntown1,1\n");
  EXPECT_THAT(inputs_of(other, encoding), ElementsAre(0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1));
  EXPECT_EQ(EncodedSamples<float>(other, encoding).unknown(), 0u) << "nothing is unknown";
}

TEST(ManyTextsTest, TextsShareUnitsByTheirHash) {
  EXPECT_EQ(text_bucket("", 1u << 16), 14695981039346656037u % (1u << 16));
  EXPECT_EQ(text_bucket("a", 1000), 0xaf63dc4c8601ec8cu % 1000) << "FNV-1a of 'a', as published";
  const Frame frame = table(cities(30));
  const Encoding encoding =
      fit_encoding(frame, {.targets = {"y"}, .many_texts = {ManyTexts::Kind::hashed, 8}});
  EXPECT_EQ(encoding.input_width(), 8u);
  EXPECT_EQ(encoding.input_names()[7], "city#7");
  EXPECT_EQ(encoding_from_json_text(to_json_text(encoding)), encoding);
  std::vector<double> expected(8, 0);
  expected[text_bucket("Paris", 8)] = 1;
  EXPECT_EQ(inputs_of(table("city,y\nParis,1\n"), encoding), expected);
}

TEST(ManyTextsTest, ColumnsWithFewTextsAreAsEver) {
  const Frame frame = table(cities(0));
  for (const ManyTexts::Kind kind : {ManyTexts::Kind::frequent, ManyTexts::Kind::hashed})
    EXPECT_EQ(fit_encoding(frame, {.targets = {"y"}, .many_texts = {kind, 3}}),
              fit_encoding(frame, {.targets = {"y"}}));
}

TEST(ManyTextsTest, WithoutThemTheRefusalSaysWhatCanBeDone) {
  const Frame frame = table(cities(1000));
  EXPECT_THAT(refusal([&] { fit_encoding(frame, {.targets = {"y"}}); }),
              HasSubstr("put its rare values together"));
}

TEST(EncodingJson, VersionTwoIsWrittenOnlyWhereItIsNeeded) {
  EXPECT_THAT(to_json_text(fit_encoding(table("x,y\n1,2\n2,3\n"), {.targets = {"y"}})),
              HasSubstr("\"version\":1"));
  const Encoding comma = fit_encoding(table("x;y\n1,5;2\n2;3\n"), {.targets = {"y"}});
  EXPECT_EQ(comma.decimal, ',');
  std::string text = to_json_text(comma);
  EXPECT_THAT(text, HasSubstr("\"version\":2"));
  EXPECT_EQ(encoding_from_json_text(text), comma);
  text.replace(text.find("\"version\":2"), 11, "\"version\":1");
  EXPECT_THAT(refusal([&] { encoding_from_json_text(text); }), HasSubstr("version 1 has no such"));
}

TEST(EncodingJson, NonsenseIsRefused) {
  const std::string
      before = R"({"version":2,"task":"regression","missing":"refuse","unknown":"refuse","inputs":[)",
      after = R"(],"targets":[{"name":"y","mean":0,"scale":1}]})";
  const std::map<std::string, std::string> wrong = {
      {R"({"name":"x","reading":"hour","mean":0,"scale":1})", "reading"},
      {R"({"name":"x","reading":"date","parts":[]})", "no list of parts"},
      {R"({"name":"x","parts":[{"part":"day","mean":0,"scale":1}]})", "no list of parts"},
      {R"({"name":"x","reading":"date","parts":[{"part":"noon","mean":0,"scale":1}]})", "noon"},
      {R"({"name":"x","reading":"date","parts":[{"part":"day","mean":0,"scale":0}]})", "scale positive"},
      {R"({"name":"x","buckets":0})", "buckets"},
      {R"({"name":"x","buckets":1e9})", "buckets"},
      {R"({"name":"x","buckets":9,"mean":1})", "unknown key"},
      {R"({"name":"x","categories":["a"],"reading":"date"})", "unknown key"},
      {R"({"name":"x","categories":["a"],"others":1})", ""}};
  for (const auto& [column, why] : wrong)
    EXPECT_THAT(refusal([&] { encoding_from_json_text(before + column + after); }),
                testing::AllOf(testing::Not(""), HasSubstr(why)))
        << column;
}

}  // namespace
}  // namespace irn
