// From a table to a model within a program.
#include "irn/front/table_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "irn/model/predictor.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::HasSubstr;

// y = sin(3 x) on `rows` points, and a text column that tells the half of x.
Frame waves(std::size_t rows) {
  Frame frame("waves", {{"x"}, {"half", true, {"left", "right"}}, {"y"}});
  frame.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const double x = -1 + 2 * (double(i) + 0.5) / double(rows);
    const std::span<double> row = frame.mutable_row(i);
    row[0] = x, row[1] = x < 0 ? 0 : 1, row[2] = std::sin(3 * x);
  }
  return frame;
}

TableTrainingOptions to_predict(const char* target) {
  TableTrainingOptions options;
  options.encoding.targets = {target};
  return options;
}

TEST(TableTraining, LearnsWithTheDefaultsOfTheTable) {
  TableTraining training(waves(200), to_predict("y"));
  EXPECT_EQ(to_text(training.architecture()), "3-64-1identity/none+1:1");
  EXPECT_EQ(training.training_rows(), 180u);
  EXPECT_EQ(training.judging_rows(), 20u);
  EXPECT_EQ(training.options().batch, 32u);
  EXPECT_EQ(training.options().epochs, 300u);
  EXPECT_EQ(training.options().training.certify, 0.95);
  while (!training.ended()) training.step();
  Predictor predictor(training.model());
  const Prediction answer = predictor.predict({0.5, "right"});
  ASSERT_TRUE(answer.settled());
  EXPECT_NEAR(answer.values[0], std::sin(1.5), 0.05);
}

TEST(TableTraining, TellsClassesFromNumbersAndSaysWhy) {
  TableTraining training(waves(60), to_predict("half"));
  EXPECT_EQ(training.encoding().task, Task::classification);
  EXPECT_THAT(training.task_reason(), HasSubstr("half"));
  EXPECT_THAT(refusal([&] { training.model(); }), HasSubstr("first epoch"));
}

TEST(TableTraining, WeightsCountByTheirRatio) {
  TableTrainingOptions options = to_predict("y");
  options.epochs = 3;
  const auto last_loss = [&](std::vector<double> weights) {
    TableTraining training(waves(100), options, {.weights = std::move(weights)});
    while (!training.ended()) training.step();
    return training.records().back().loss;
  };
  std::vector<double> half_as_much(100, 1.0);
  std::fill_n(half_as_much.begin(), 50, 0.5);
  EXPECT_EQ(last_loss({}), last_loss(std::vector<double>(100, 2.0)));
  EXPECT_NE(last_loss({}), last_loss(half_as_much));
  EXPECT_THAT(refusal([&] { last_loss({1, 2}); }), HasSubstr("2 weights for 100 rows"));
}

TEST(TableTraining, GoesOnWithAModel) {
  TableTrainingOptions options = to_predict("y");
  options.epochs = 20;
  TableTraining first(waves(200), options);
  while (!first.ended()) first.step();
  const AnyModel model = first.model();
  TableTraining second(waves(200), options, {.from = &model});
  while (second.records().empty()) second.step();
  EXPECT_LT(second.records().front().loss, first.records().front().loss / 2);
  EXPECT_EQ(second.encoding(), first.encoding());
  options.precision = Precision::float64;
  EXPECT_THAT(refusal([&] { TableTraining(waves(200), options, {.from = &model}); }), HasSubstr("precision"));
}

TEST(TableTraining, RefusesWhatMakesNoSense) {
  const auto refused = [](auto change) {
    return refusal([&] {
      TableTrainingOptions options = to_predict("y");
      change(options);
      TableTraining(waves(100), options);
    });
  };
  EXPECT_THAT(refused([](auto& o) { o.epochs = 0; }), HasSubstr("epochs"));
  EXPECT_THAT(refused([](auto& o) { o.batch = 0; }), HasSubstr("batch"));
  EXPECT_THAT(refused([](auto& o) { o.validation = 1; }), HasSubstr("validation"));
  EXPECT_THAT(refused([](auto& o) { o.certify = 1; }), HasSubstr("certify"));
  EXPECT_THAT(refused([](auto& o) { o.loss = "cross-entropy"; }), HasSubstr("classes"));
  EXPECT_THAT(refused([](auto& o) { o.scaling = "rows"; }), HasSubstr("columns"));
  EXPECT_THAT(refused([](auto& o) { o.architecture = "2-1"; }), HasSubstr("2 inputs"));
  EXPECT_THAT(refused([](auto& o) { o.architecture = "3-1", o.convolutions = "8k3"; }),
              HasSubstr("convolutions: architecture says"));
  EXPECT_THAT(refused([](auto& o) { o.architecture = "3-1", o.layers = {{8}}; }),
              HasSubstr("layers: architecture says"));
  EXPECT_THAT(refused([](auto& o) { o.rate = -1; }), HasSubstr("rate"));
  EXPECT_THAT(refused([](auto& o) { o.noise = 1e300; }), HasSubstr("noise: 1e+300 is no deviation"));
  EXPECT_THAT(refused([](auto& o) { o.noise = -0.1; }), HasSubstr("give 0 (none) to 100"));
  EXPECT_THAT(refused([](auto& o) { o.device = "cuda:97"; }), HasSubstr("device cuda:97"));
  EXPECT_THAT(refused([](auto& o) { o.device = "abacus"; }), HasSubstr("is no device"));
}

}  // namespace
}  // namespace irn
