#include "irn/model/predictor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "irn/data/csv.h"
#include "irn/data/encoded_samples.h"
#include "irn/data/sample_table.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* flowers =
    "size,colour,ring,kind\n1.1,red,5,rose\n2.2,blue,7,tulip\n3.3,red,5,lily\n4.4,green,7,rose\n";

Frame table(std::string_view text) {
  MemorySource source("data.csv", text);
  ThreadPool pool(1);
  return read_csv(source, {}, pool);
}

template <class T>
ModelOf<T> classifier(const char* network = "5-6-3identity") {
  const Frame frame = table(flowers);
  return {random_network<T>(from_text<Architecture>(network), 5, 2),
          fit_encoding(frame, {.targets = {"kind"}})};
}

template <class T>
ModelOf<T> regressor(SettleOptions settle = {}) {
  Encoding encoding = plain_encoding(2, 2);
  encoding.targets[1].mean = 100;
  encoding.targets[1].scale = 10;
  return {random_network<T>(from_text<Architecture>("2-5-3"), 5, 3), encoding, settle};
}

template <class T>
class PredictorOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PredictorOf, Precisions);

TYPED_TEST(PredictorOf, SaysWhatTheTableWouldGetBitForBit) {
  const ModelOf<TypeParam> model = classifier<TypeParam>("5-6-3tanh");
  const Frame frame = table(flowers);
  ThreadPool threads(1);
  Settler<TypeParam> settler(model.network, {}, threads);
  const Equilibria<TypeParam> states = settler.settle(EncodedSamples<TypeParam>(frame, model.encoding));

  Predictor predictor(model);
  const std::vector<std::vector<Value>> rows = {
      {1.1, "red", 5}, {2.2, std::string_view("blue"), 7}, {3.3, "red", 5}, {4.4, "green", 7}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Prediction p = predictor.predict(rows[i]);
    Prediction expected;
    decode(model.encoding, states.state(i).last(3), states.verdicts[i], Unsettled::empty, expected);
    ASSERT_TRUE(p.settled());
    EXPECT_EQ(p.probabilities, expected.probabilities);
    EXPECT_EQ(p.label, expected.label);
    EXPECT_EQ(p.verdict.residual, expected.verdict.residual);
  }
}

TYPED_TEST(PredictorOf, ManyRowsGetWhatEachGetsAlone) {
  for (const std::size_t threads : {1u, 2u}) {
    Predictor predictor(regressor<TypeParam>(), {.threads = threads});
    const std::vector<double> values = random_numbers<double>(2 * 77, 3);
    std::vector<Prediction> all;
    predictor.predict_rows(values, all);
    ASSERT_EQ(all.size(), 77u);
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(predictor.predict(std::span(values).subspan(2 * i, 2)).values, all[i].values);
  }
}

TEST(Predictor, ScalesOutputsBackAndLeavesFreeOnesOut) {
  const ModelOf<double> model = regressor<double>();
  const Prediction p = Predictor(model).predict({0.5, -0.25});
  const PlainNetwork plain(model.network);
  const Eigen::VectorXd z = plain.flow_limit(Eigen::Vector2d(0.5, -0.25));
  ASSERT_TRUE(p.settled());
  ASSERT_EQ(p.values.size(), 2u);
  EXPECT_NEAR(p.values[0], z[5], 1e-7);
  EXPECT_NEAR(p.values[1], z[6] * 10 + 100, 1e-6);
  EXPECT_THAT(p.probabilities, IsEmpty());
  EXPECT_EQ(p.label, "");
}

TEST(Predictor, AnswersFarFromZeroAreDoublesWhateverThePrecision) {
  ModelOf<float> model = regressor<float>();
  const double near = Predictor(model).predict({0.5, -0.25}).values[1] - 100;
  model.encoding.targets[1].mean = 1.7e12;
  EXPECT_NEAR(Predictor(model).predict({0.5, -0.25}).values[1] - 1.7e12, near, 1e-3);
  model.encoding.inputs[0].mean = 1.7e12;
  EXPECT_NEAR(Predictor(model).predict({1.7e12 + 0.5, -0.25}).values[1] - 1.7e12, near, 1e-3)
      << "inputs are scaled before they become floats";
}

TEST(Predictor, ProbabilitiesAreThoseOfTheSoftmax) {
  const Encoding encoding = classifier<double>().encoding;
  const std::vector<double> outputs = {800, 801, 799, 5};
  Prediction p;
  decode<double>(encoding, outputs, {Outcome::settled}, Unsettled::empty, p);
  const double total = std::exp(-1) + 1 + std::exp(-2);
  EXPECT_DOUBLE_EQ(p.probabilities[0], std::exp(-1) / total);
  EXPECT_DOUBLE_EQ(std::accumulate(p.probabilities.begin(), p.probabilities.end(), 0.0), 1);
  EXPECT_EQ(p.label, "rose");  // lily, rose, tulip
}

// A single iteration settles nothing.
TEST(Predictor, AnUnsettledStateIsNoAnswer) {
  const SettleOptions hasty{FixedPoint{.steps = 1}, 1e-8};
  Predictor predictor(regressor<double>(hasty));
  const Prediction p = predictor.predict({0.5, -0.25});
  EXPECT_FALSE(p.settled());
  EXPECT_GT(p.verdict.residual, 1e-8);
  EXPECT_EQ(p.values.size(), 2u);
  EXPECT_THAT(p.values, Each(::testing::IsNan()));

  Predictor eager(regressor<double>(hasty), {.unsettled = Unsettled::last});
  const Prediction last = eager.predict({0.5, -0.25});
  EXPECT_FALSE(last.settled());
  EXPECT_TRUE(std::isfinite(last.values[0]));

  ModelOf<double> classes = classifier<double>();
  classes.settle = hasty;
  const Prediction none = Predictor(classes).predict({1, "red", 5});
  EXPECT_EQ(none.label, "");
  EXPECT_THAT(none.probabilities, Each(::testing::IsNan()));
}

TEST(Predictor, SaysWhatAnAnswerIs) {
  const SettleOptions hasty{FixedPoint{.steps = 1}, 1e-8};
  ModelOf<double> model = regressor<double>(hasty);
  model.encoding.fallback = {0.25, 120};
  const auto with = [&](Unsettled unsettled) {
    return Predictor(model, {.unsettled = unsettled}).predict({0.5, -0.25});
  };
  EXPECT_EQ(with(Unsettled::empty).basis, Basis::none);
  EXPECT_EQ(with(Unsettled::last).basis, Basis::last);
  const Prediction fallback = with(Unsettled::fallback);
  EXPECT_EQ(fallback.basis, Basis::fallback);
  EXPECT_FALSE(fallback.answered()) << "the network has none, whatever is shown";
  EXPECT_EQ(fallback.values, (std::vector<double>{0.25, 120})) << "in the units of the table";

  const std::vector<double> settled = Predictor(regressor<double>()).predict({0.5, -0.25}).values;
  model.settle = {};
  EXPECT_EQ(with(Unsettled::fallback).values, settled) << "an answer is not replaced";
  EXPECT_EQ(with(Unsettled::fallback).basis, Basis::settled);
  model.settle = {.solver = Iterate{2}};
  EXPECT_EQ(with(Unsettled::fallback).basis, Basis::iterated);
}

TEST(Predictor, FallsBackOnTheSharesOfTheClasses) {
  const Encoding encoding = classifier<double>().encoding;
  Prediction p;
  decode<double>(encoding, std::vector<double>{9, 0, 0}, {Outcome::cycles}, Unsettled::fallback, p);
  EXPECT_EQ(p.probabilities, (std::vector<double>{0.25, 0.5, 0.25}));
  EXPECT_EQ(p.label, "rose") << "the most frequent, not that of the state";
  decode<double>(encoding, std::vector<double>{NAN, 0, 0}, {Outcome::not_finite}, Unsettled::fallback, p);
  EXPECT_EQ(p.label, "rose");
  EXPECT_EQ(p.basis, Basis::fallback);
}

TEST(Predictor, RefusesToFallBackOnNothing) {
  EXPECT_THAT(refusal([] { Predictor(regressor<double>(), {.unsettled = Unsettled::fallback}); }),
              HasSubstr("nothing to fall back on"));
  EXPECT_EQ(refusal([] { Predictor(classifier<double>(), {.unsettled = Unsettled::fallback}); }), "");
}

TEST(Predictor, WhatIsNotFiniteIsNeverShown) {
  Prediction p;
  const std::vector<double> outputs = {1, NAN, INFINITY};
  decode<double>(classifier<double>().encoding, outputs, {Outcome::not_finite}, Unsettled::last, p);
  EXPECT_EQ(p.label, "");
  EXPECT_EQ(p.basis, Basis::none);
  EXPECT_THAT(p.probabilities, Each(::testing::IsNan()));
}

TEST(Predictor, RefusesAnEncodingOfAnotherNetwork) {
  const NetworkOf<float> network(from_text<Architecture>("3-4-2"), Start::paper, 1);
  EXPECT_THAT(refusal([&] { Predictor(ModelOf<float>{network, plain_encoding(200, 2)}); }),
              HasSubstr("200 inputs"));
  EXPECT_THAT(refusal([&] { Predictor(ModelOf<float>{network, plain_encoding(3, 50)}); }),
              HasSubstr("50 outputs"));
}

TEST(Predictor, RefusesWhatTheEncodingRefuses) {
  Predictor predictor(classifier<float>());
  const auto said = [&](std::initializer_list<Value> row) {
    return refusal([&] { predictor.predict(row); });
  };
  EXPECT_THAT(said({1, "red"}), AllOf(HasSubstr("takes 3 columns"), HasSubstr("2 values were given")));
  EXPECT_THAT(said({"1", "red", 5}), HasSubstr("column 'size': '1' is text where a number is expected"));
  EXPECT_THAT(said({NAN, "red", 5}), HasSubstr("column 'size': missing value"));
  EXPECT_THAT(said({1e60, "red", 5}), HasSubstr("beyond the range"));
  EXPECT_THAT(said({1, "pink", 5}), HasSubstr("column 'colour': 'pink' is not among the values"));
  EXPECT_THAT(said({1, "", 5}), HasSubstr("column 'colour': missing value"));
  EXPECT_THAT(said({1, 17, 5}), HasSubstr("column 'colour': '17' is not among"));
  std::vector<Prediction> all;
  const std::vector<Value> two = {1, "red", 5, 1, "pink", 5}, uneven = {1, "red", 5, 1};
  EXPECT_THAT(refusal([&] { predictor.predict_rows(two, all); }), HasSubstr("row 1, column 'colour'"));
  EXPECT_THAT(refusal([&] { predictor.predict_rows(uneven, all); }), HasSubstr("no whole number of rows"));
  EXPECT_THAT(said({1, "red", 5}), "") << "a refusal leaves the predictor usable";
}

TEST(Predictor, TakesTheMeanAndNoUnitWhereTheModelSaysSo) {
  ModelOf<double> model = classifier<double>();
  model.encoding.missing = Missing::mean;
  model.encoding.unknown = Unknown::zeros;
  Predictor predictor(model);
  const double mean = model.encoding.inputs[0].mean;
  EXPECT_EQ(predictor.predict({NAN, "", 5}).probabilities,
            predictor.predict({mean, "pink", 5}).probabilities);
}

TEST(Predictor, NumbersFindTheirTexts) {
  const Frame frame = table("code,y\na,1.5\n10,2.5\n10,3.5\n");
  const Encoding encoding = fit_encoding(frame, {.targets = {"y"}});
  Predictor predictor(
      ModelOf<double>{random_network<double>(from_text<Architecture>("2-3-1"), 5, 1), encoding});
  EXPECT_EQ(predictor.predict({10}).values, predictor.predict({"10"}).values);
  EXPECT_NE(predictor.predict({10}).values, predictor.predict({"a"}).values);
}

TEST(Predictor, ReadsAFileOfEitherPrecision) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "irn_predictor_test.irn";
  write_model(path, regressor<double>());
  const double precise = Predictor(path).predict({1, 2}).values[0];
  write_model(path, regressor<float>());
  EXPECT_NEAR(Predictor(path.string()).predict({1, 2}).values[0], precise, 1e-3);
  std::filesystem::remove(path);
}

TEST(Predictor, RefusesADeviceThatCannotBeUsedBeforeItReadsAFile) {
  EXPECT_THAT(refusal([] { Predictor("no-such.irn", {.device = "cuda:97"}); }), HasSubstr("device cuda:97"));
  EXPECT_THAT(refusal([] { Predictor(regressor<double>(), {.device = "cuda:97"}); }),
              HasSubstr("device cuda:97"));
  EXPECT_THAT(refusal([] { Predictor("no-such.irn", {.device = "abacus"}); }), HasSubstr("is no device"));
}

// A model whose solver only iterates answers with an iterate, which is no equilibrium.
TEST(Predictor, AnswersWithTheIterateThatTheModelAsksFor) {
  for (const Solver& solver : {Solver(Iterate{2}), Solver(Reversible{2, 0.5})}) {
    const ModelOf<double> model = regressor<double>({.solver = solver});
    const AnyModel read = model_from_bytes(to_bytes(model), "a test");
    EXPECT_EQ(to_text(std::get<ModelOf<double>>(read).settle.solver), to_text(solver));
    const Prediction p = Predictor(read).predict({0.5, -1});
    EXPECT_EQ(p.verdict.outcome, Outcome::iterated);
    EXPECT_TRUE(p.answered() && !p.settled());
    ThreadPool threads(1);
    Settler<double> settler(model.network, model.settle, threads);
    const Equilibria<double> states = settler.settle(SampleTable<double>(2, 0, {0.5, -1}, {}));
    EXPECT_EQ(p.values[0], states.state(0)[model.network.architecture().first_output()]);
  }
}

}  // namespace
}  // namespace irn
