#include "irn/data/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "irn/data/csv.h"
#include "irn/data/encoded_samples.h"
#include "irn/data/scaling.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

Frame table(std::string_view text) {
  MemorySource source("data.csv", text);
  ThreadPool pool(1);
  return read_csv(source, {}, pool);
}

template <class T>
std::vector<T> inputs_of(const EncodedSamples<T>& samples) {
  std::vector<std::uint64_t> all(samples.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<T> out(samples.size() * samples.inputs(), T{99});
  samples.inputs_as_rows(all, out.data());
  return out;
}

template <class T>
std::vector<T> targets_of(const EncodedSamples<T>& samples) {
  std::vector<std::uint64_t> all(samples.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<T> out(samples.size() * samples.targets(), T{99});
  samples.targets_as_rows(all, out.data());
  return out;
}

constexpr const char* flowers =
    "size,colour,same,kind\n1,red,5,rose\n2,blue,5,tulip\n3,red,5,rose\n4,green,5,rose\n";

TEST(Encoding, NumbersAreStandardisedAndTextsGetAUnitEach) {
  const Frame frame = table(flowers);
  const Encoding encoding = fit_encoding(frame, {.targets = {"kind"}});
  EXPECT_EQ(encoding.task, Task::classification);
  EXPECT_THAT(encoding.input_names(),
              ElementsAre("size", "colour=blue", "colour=green", "colour=red", "same"));
  EXPECT_THAT(encoding.target_names(), ElementsAre("kind=rose", "kind=tulip"));
  const EncodedSamples<float> samples(frame, encoding);
  const float s = std::sqrt(1.25f);
  EXPECT_THAT(
      inputs_of(samples),
      Pointwise(::testing::FloatEq(), std::vector<float>{-1.5f / s, 0, 0, 1, 0, -0.5f / s, 1, 0, 0, 0,  //
                                                         0.5f / s,  0, 0, 1, 0, 1.5f / s,  0, 1, 0, 0}));
  EXPECT_THAT(targets_of(samples), ElementsAre(1, 0, 0, 1, 1, 0, 1, 0));
}

TEST(Encoding, CommonScalingIsThatOfAllNumbersTogether) {
  const Frame frame = table("border,a,b,y\n0,1,0.5,1\n0,0,0.25,2\n0,1,0.75,3\n0,0,0.5,4\n");
  Encoding encoding = fit_encoding(frame, {.targets = {"y"}});
  scale_inputs(encoding, Scaling::common);
  const double mean = 4.0 / 12, squares = (2 + 0.25 + 0.0625 + 0.5625 + 0.25) / 12;
  for (const EncodedColumn& column : encoding.inputs) {
    EXPECT_NEAR(column.mean, mean, 1e-15);
    EXPECT_NEAR(column.scale, std::sqrt(squares - mean * mean), 1e-15) << "the border varies by nothing";
  }
}

TEST(Encoding, LanesAndRowsAgree) {
  const Frame frame = table(flowers);
  const EncodedSamples<float> samples(frame, fit_encoding(frame, {.targets = {"kind"}}));
  const std::vector<std::uint64_t> index = {3, 0, 1};
  std::vector<float> rows(15), lanes(20, 99);
  samples.inputs_as_rows(index, rows.data());
  samples.inputs_as_lanes(index, 4, lanes.data());
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t lane = 0; lane < 3; ++lane) EXPECT_EQ(lanes[k * 4 + lane], rows[lane * 5 + k]);
    EXPECT_EQ(lanes[k * 4 + 3], 0);
  }
}

TEST(Encoding, RegressionIsInvertible) {
  const Frame frame = table("a,y\n1,1000.5\n2,1001.25\n3,1007\n");
  const Encoding encoding = fit_encoding(frame, {.targets = {"y"}});
  EXPECT_EQ(encoding.task, Task::regression);
  const std::vector<double> targets = targets_of(EncodedSamples<double>(frame, encoding));
  EXPECT_NEAR(targets[0] + targets[1] + targets[2], 0, 1e-12);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(encoding.targets[0].decoded(targets[i]), frame.row(i)[1], 1e-9);
}

TEST(Encoding, InputsAreChosenByName) {
  const Frame frame = table(flowers);
  const auto names = [&](const EncodingOptions& options) {
    return fit_encoding(frame, options).input_names();
  };
  EXPECT_THAT(names({.targets = {"kind"}, .excluded = {"colour"}}), ElementsAre("size", "same"));
  EXPECT_THAT(names({.targets = {"kind"}, .inputs = {"same", "size"}}), ElementsAre("same", "size"));
  EXPECT_THAT(names({.targets = {"size", "same"}, .excluded = {"kind"}}).size(), 3u);
}

TEST(Encoding, ChoicesThatCannotBeAreRefused) {
  const Frame frame = table(flowers);
  const auto why = [&](const EncodingOptions& options) {
    return refusal([&] { fit_encoding(frame, options); });
  };
  EXPECT_THAT(why({}), HasSubstr("no target"));
  EXPECT_THAT(why({.targets = {"kid"}}), HasSubstr("did you mean \"kind\""));
  EXPECT_THAT(why({.targets = {"kind", "kind"}}), HasSubstr("twice"));
  EXPECT_THAT(why({.targets = {"kind"}, .inputs = {"kind"}}), HasSubstr("both"));
  EXPECT_THAT(why({.targets = {"kind"}, .excluded = {"size", "colour", "same"}}), HasSubstr("no columns"));
  EXPECT_THAT(why({.targets = {"kind", "size"}}), HasSubstr("holds text ('rose')"));
  EXPECT_THAT(why({.targets = {"kind"}, .task = Task::regression}), HasSubstr("holds text ('rose')"));
  EXPECT_THAT(why({.targets = {"kind", "size"}, .task = Task::classification}), HasSubstr("one target"));
  EXPECT_THAT(why({.targets = {"same"}, .task = Task::classification}), HasSubstr("only one class, '5'"));
  EXPECT_THAT(why({.targets = {"kind"}, .most_categories = 2}), HasSubstr("'colour': more than 2"));
}

TEST(Encoding, TheTaskIsDetected) {
  const auto detected = [](std::string_view text) {
    const std::vector<std::string> targets = {"y"};
    return detect_task(table(text), std::span<const std::string>(targets));
  };
  EXPECT_EQ(detected("y\na\nb\n").task, Task::classification);
  EXPECT_EQ(detected("y\n0\n1\n1\n0\n").task, Task::classification);
  EXPECT_EQ(detected("y\n0\n1\n1\n0\n").reason, "'y' holds 2 different whole numbers");
  EXPECT_EQ(detected("y\n0\n1\n2\n3\n").task, Task::regression);
  EXPECT_EQ(detected("y\n0\n0.5\n0.5\n0\n").task, Task::regression);
  std::string many = "y\n";
  for (int i = 0; i < 100; ++i) many += std::to_string(i % 21) + "\n";
  EXPECT_EQ(detected(many).task, Task::regression);
}

TEST(Encoding, NumbersAsClassesKeepTheirOrderAndNames) {
  const Frame frame = table("a,y\n1,10\n2,9\n3,-1\n4,10\n5,9\n6,-1\n");
  const Encoding encoding = fit_encoding(frame, {.targets = {"y"}});
  EXPECT_THAT(encoding.targets[0].categories, ElementsAre("-1", "9", "10"));
  EXPECT_THAT(encoding.text_columns(), ElementsAre());
  EXPECT_EQ(targets_of(EncodedSamples<float>(frame, encoding))[2], 1);
  const Frame text = table("a,y\n1,9\n2,unheard\n");  // the same label as text
  EXPECT_THAT(refusal([&] { EncodedSamples<float>(text, encoding); }),
              HasSubstr("line 3, column 'y': 'unheard'"));
  EXPECT_EQ(EncodedSamples<float>(text, encoding, {.with_targets = false}).targets(), 0u);
}

constexpr const char* gaps = "a,b,y\n1,x,1.5\n,y,2.5\n3,,3.5\n5,y,4.5\n";

TEST(Encoding, MissingValuesAreNamedFilledOrDropped) {
  const Frame frame = table(gaps);
  Encoding encoding = fit_encoding(frame, {.targets = {"y"}});
  EXPECT_THAT(refusal([&] { EncodedSamples<float>(frame, encoding); }),
              HasSubstr("data.csv, line 3, column 'a': missing value"));
  encoding.missing = Missing::mean;
  const std::vector<float> filled = inputs_of(EncodedSamples<float>(frame, encoding));
  EXPECT_EQ(filled[3], 0);  // the mean
  EXPECT_EQ(filled[7] + filled[8], 0);
  encoding = fit_encoding(frame, {.targets = {"y"}, .missing = Missing::drop});
  EXPECT_EQ(encoding.inputs[0].mean, 3);
  const EncodedSamples<float> dropped(frame, encoding);
  EXPECT_EQ(dropped.size(), 2u);
  EXPECT_EQ(dropped.dropped(), 2u);
  EXPECT_EQ(dropped.row(1), 3u);
}

TEST(Encoding, AMissingTargetIsNotMadeUp) {
  const Frame frame = table("a,y\n1,1.5\n2,\n3,0.5\n");
  const Encoding encoding = fit_encoding(frame, {.targets = {"y"}, .missing = Missing::mean});
  EXPECT_THAT(refusal([&] { EncodedSamples<float>(frame, encoding); }), HasSubstr("line 3, column 'y'"));
  EXPECT_EQ(EncodedSamples<float>(frame, encoding, {.with_targets = false}).size(), 3u);
  const Frame empty = table("a,y\n,1\n,2\n");
  EXPECT_THAT(refusal([&] { fit_encoding(empty, {.targets = {"y"}}); }),
              HasSubstr("'a': all values are missing"));
}

TEST(Encoding, UnknownTextsAreNamedOrLeftOut) {
  const Frame known = table("a,y\nx,1.5\ny,2\n"), other = table("a\ny\nz\n"), numbers = table("a\n1\n");
  Encoding encoding = fit_encoding(known, {.targets = {"y"}});
  const EncodedSamples<float>::Options predict{.with_targets = false};
  EXPECT_THAT(refusal([&] { EncodedSamples<float>(other, encoding, predict); }),
              HasSubstr("line 3, column 'a': 'z' is not among"));
  EXPECT_THAT(refusal([&] { EncodedSamples<float>(numbers, encoding, predict); }),
              HasSubstr("'1' is not among"));
  encoding.unknown = Unknown::zeros;
  EXPECT_THAT(inputs_of(EncodedSamples<float>(other, encoding, predict)), ElementsAre(0, 1, 0, 0));
  const Encoding number =
      fit_encoding(table("a,y\n1,0.5\n2,2\n"), {.targets = {"y"}, .unknown = Unknown::zeros});
  EXPECT_THAT(refusal([&] { EncodedSamples<float>(other, number, predict); }),
              HasSubstr("'y' is text where numbers"));
}

TEST(Encoding, OnlyTheChosenRowsCount) {
  const Frame frame = table("a,y\n1,0.5\n3,1\n1000,?\n");
  const std::vector<std::uint64_t> rows = {1, 0};
  const Encoding encoding = fit_encoding(frame, {.targets = {"y"}}, rows);
  EXPECT_EQ(encoding.inputs[0].mean, 2);
  const EncodedSamples<float> samples(frame, encoding, {.rows = rows});
  EXPECT_THAT(inputs_of(samples), ElementsAre(1, -1));
  const std::vector<std::uint64_t> none;
  EXPECT_THAT(refusal([&] { EncodedSamples<float>(frame, encoding, {.rows = none}); }), HasSubstr("no rows"));
}

TEST(Encoding, ClassesMayBeKnownBeforehand) {
  const Frame frame = table("a,who,y\n1,me,red\n3,you,blue\n5,he,green\n");
  const std::vector<std::uint64_t> first = {0, 1}, last = {2};
  Encoding encoding = fit_encoding(frame, {.targets = {"y"}, .classes = {"blue", "green", "red"}}, first);
  EXPECT_THAT(encoding.targets[0].categories, ElementsAre("blue", "green", "red"));
  EXPECT_THAT(encoding.fallback, ElementsAre(0.5, 0, 0.5));
  encoding.unknown = Unknown::zeros;
  EXPECT_EQ((EncodedSamples<float>(frame, encoding, {.rows = last}).unknown()), 1u);
  EXPECT_EQ((EncodedSamples<float>(frame, encoding, {.rows = first}).unknown()), 0u);
}

TEST(Encoding, TheFallbackIsWhatIsBestAnsweredUnseen) {
  const auto known = [](std::string_view text, const EncodingOptions& options) {
    return fit_encoding(table(text), options).fallback;
  };
  EXPECT_THAT(known("a,y,z\n1,0.5,4\n3,1,4\n2,3,4\n", {.targets = {"y", "z"}}), ElementsAre(1.5, 4));
  // In the order of the categories, which is not that of the rows: blue, red.
  EXPECT_THAT(known("a,y\n1,red\n2,blue\n3,red\n4,red\n", {.targets = {"y"}}), ElementsAre(0.25, 0.75));
  EXPECT_THAT(known("a,y\n1,10\n2,9\n3,9\n4,9\n", {.targets = {"y"}}), ElementsAre(0.75, 0.25));
  EXPECT_THAT(known("a,y\n1,10\n2,9\n,9\n4,9\n,9\n3,10\n", {.targets = {"y"}, .missing = Missing::drop}),
              ElementsAre(0.5, 0.5));
}

TEST(Encoding, OneOfAnEarlierIrnHasNoFallback) {
  Encoding encoding = fit_encoding(table(flowers), {.targets = {"kind"}});
  encoding.fallback.clear();
  EXPECT_EQ(to_json_text(encoding).find("fallback"), std::string::npos);
  EXPECT_EQ(encoding_from_json_text(to_json_text(encoding)), encoding);
}

TEST(Encoding, AFallbackThatFitsNothingIsRefused) {
  Encoding encoding = fit_encoding(table("a,y\n1,red\n2,blue\n"), {.targets = {"y"}});
  for (const std::vector<double>& wrong :
       {std::vector<double>{0.5}, {0.5, 0.4}, {1.5, -0.5}, {0.5, 0.5, 0}, {NAN, 1}}) {
    encoding.fallback = wrong;
    EXPECT_THAT(refusal([&] { encoding_from_json_text(to_json_text(encoding)); }),
                ::testing::AnyOf(HasSubstr("fallback"), HasSubstr("number")));
  }
}

TEST(Encoding, PostalCodesStayText) {
  Encoding encoding{.inputs = {{"zip", {"00123", "0456"}}, {"n", {"1", "2"}}}, .targets = {{"y"}}};
  EXPECT_THAT(encoding.text_columns(), ElementsAre("zip"));
}

TEST(Encoding, JsonGivesTheSameBack) {
  const Encoding encoding = fit_encoding(table(flowers), {.targets = {"kind"}, .missing = Missing::drop});
  EXPECT_EQ(encoding_from_json_text(to_json_text(encoding)), encoding);
  const Encoding thirds = fit_encoding(table("a,\"n\"\"\xC3\xA4\n\"\n0.1,1.5\n0.7,2\n5,3\n"),
                                       {.targets = {"n\"\xC3\xA4\n"}, .unknown = Unknown::zeros});
  EXPECT_EQ(encoding_from_json_text(to_json_text(thirds)), thirds);
}

TEST(Encoding, WhatCannotBeStoredIsRefusedBeforeTraining) {
  EXPECT_THAT(refusal([] { fit_encoding(table("a,y\n\xFF,1\nx,2.5\n"), {.targets = {"y"}}); }),
              HasSubstr("UTF-8"));
  EXPECT_THAT(refusal([] { fit_encoding(table("\xFF,y\n2,1\n1,2.5\n"), {.targets = {"y"}}); }),
              HasSubstr("UTF-8"));
}

TEST(Encoding, ADeviationThatCannotBeComputedIsRefused) {
  const auto why = [](std::string_view text) {
    return refusal([&] { fit_encoding(table(text), {.targets = {"y"}}); });
  };
  EXPECT_THAT(why("a,y\n1e300,1.5\n-1e300,2.5\n"), HasSubstr("column 'a': values so large"));
  EXPECT_THAT(why("a,y\n1e-200,1.5\n2e-200,2.5\n"), HasSubstr("column 'a': values so close to each other"));
  EXPECT_EQ(why("a,y\n1e100,1.5\n2e100,2.5\n"), "");
}

TEST(Encoding, DamagedJsonIsRefused) {
  const std::string good = to_json_text(fit_encoding(table(flowers), {.targets = {"kind"}}));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    return refusal([&] { encoding_from_json_text(bad); });
  };
  EXPECT_THAT(with("\"version\":1", "\"version\":3"), HasSubstr("version 3"));
  EXPECT_THAT(with("classification", "regresion"), HasSubstr("did you mean \"regression\""));
  EXPECT_THAT(with("classification", "regression"), HasSubstr("do not fit the task"));
  EXPECT_THAT(with("\"scale\":1.0", "\"scale\":0.0"), HasSubstr("scale positive"));
  EXPECT_THAT(with("\"mean\":5.0", "\"mean\":\"x\""), HasSubstr("number"));
  EXPECT_THAT(with("\"mean\":5.0", "\"median\":5.0"), HasSubstr("median"));
  EXPECT_THAT(with("\"tulip\"", "\"rose\""), HasSubstr("twice"));
  EXPECT_THAT(with("\"name\":\"same\"", "\"name\":\"size\""), HasSubstr("twice"));
  EXPECT_THAT(with("\"tulip\"", "3"), HasSubstr("string"));
  for (const char* text : {"", "[]", "3", "{}", "{\"version\":1}", "[[[[", "nul"})
    EXPECT_NE(refusal([&] { encoding_from_json_text(text); }), "") << text;
}

}  // namespace
}  // namespace irn
