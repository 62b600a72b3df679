// The front door on a CUDA device compared with the processor: what is settled, trained, predicted and
// checked there is the same to tolerance, and none of its results need the device afterwards.
#include "irn/irn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cuda/on_cuda.h"
#include "tests/support/settle_samples.h"

namespace irn {
namespace {

class FrontOnCuda : public OnCuda {};

// Expects `there` to have the outcomes of `here`, and its numbers to tolerance.
void expect_same_answers(const Answers& here, const Answers& there) {
  ASSERT_EQ(here.size(), there.size());
  const std::vector<double> a = here.states().values(), b = there.states().values();
  for (std::size_t s = 0; s < here.size(); ++s)
    EXPECT_EQ(here.verdicts()[s].outcome, there.verdicts()[s].outcome);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-3);
}

// y = sin(3 x), and which half x is in.
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

TableTrainingOptions training_on(const OrText<Device>& device, std::size_t neurons) {
  TableTrainingOptions options;
  options.encoding.targets = {"y"};
  options.layers = {{neurons}};
  options.epochs = 2;
  options.device = device;
  return options;
}

TEST_F(FrontOnCuda, NetworksSettleAndHaveGradients) {
  Network network("3-12tanh-2identity", {.seed = 4});
  const std::vector<float> x = random_numbers<float>(3 * 40, 1), slopes(2 * 40, 1.0f);
  expect_same_answers(network.settle({x, 3}), network.settle({x, 3}, {.device = "cuda"}));
  const auto gradient = [&](const char* device) {
    const Pass pass = network.forward({x, 3}, {.device = device});
    return network.backward(pass, {slopes, 2}).parameters().values();
  };
  const std::vector<double> here = gradient("cpu"), there = gradient("cuda");
  for (std::size_t k = 0; k < here.size(); ++k) EXPECT_NEAR(here[k], there[k], 1e-3);
}

// The parameters of wide networks stay on the device between steps; each step of the front door brings them
// back.
TEST_F(FrontOnCuda, NetworksTrain) {
  for (const char* architecture : {"2-10tanh-1identity", "2-96tanh-1identity/lateral"}) {
    Network here(architecture, {.seed = 2}), there = here;
    const std::vector<float> x = random_numbers<float>(2 * 16, 3), y = random_numbers<float>(16, 4);
    Training one(here, {.optimiser = "sgd:rate=0.05"}),
        two(there, {.optimiser = "sgd:rate=0.05", .gradient = {.device = "cuda"}});
    for (int step = 0; step < 3; ++step) {
      const StepReport a = one.step({x, 2}, {y, 1}), b = two.step({x, 2}, {y, 1});
      EXPECT_NEAR(a.loss, b.loss, 1e-4) << architecture;
      EXPECT_EQ(a.used, b.used);
    }
    EXPECT_NEAR(one.evaluate({x, 2}, {y, 1}).loss, two.evaluate({x, 2}, {y, 1}).loss, 1e-4);
    EXPECT_EQ(there.trained_with().device, Device::cpu);
    expect_same_answers(here.settle({x, 2}), there.settle({x, 2}));
  }
}

TEST_F(FrontOnCuda, TablesTrainToModelsThatRunOnAny) {
  for (const std::size_t neurons : {12, 96}) {
    TableTraining here(waves(60), training_on("cpu", neurons)),
        there(waves(60), training_on("cuda", neurons));
    while (!here.ended()) here.step();
    while (!there.ended()) there.step();
    EXPECT_NEAR(here.records().back().loss, there.records().back().loss, 1e-3);
    const AnyModel model = there.model();
    EXPECT_EQ(std::get<ModelOf<float>>(model).settle.device, Device::cpu);
    const double answer = Predictor(here.model()).predict({0.5, "right"}).values[0];
    for (const char* device : {"cpu", "cuda"})
      EXPECT_NEAR(Predictor(model, {.device = device}).predict({0.5, "right"}).values[0], answer, 1e-2);
  }
}

TEST_F(FrontOnCuda, ModelsAnswerManyRows) {
  const ModelOf<float> model{random_network<float>(from_text<Architecture>("2-30tanh-3identity"), 5, 2),
                             plain_encoding(2, 3)};
  const std::vector<double> rows = random_numbers<double>(2 * 50, 7);
  std::vector<Prediction> here, there;
  Predictor(model).predict_rows(rows, here);
  Predictor(model, {.device = cuda_device}).predict_rows(rows, there);
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(here[i].verdict.outcome, there[i].verdict.outcome);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(here[i].values[k], there[i].values[k], 1e-3);
  }
}

// The samples settle on the device; all equilibria of the most doubtful one are searched for on the
// processor.
TEST_F(FrontOnCuda, NetworksAreChecked) {
  Network network("1-1tanh", {.precision = Precision::float64});  // z = tanh(2 z + x)
  network.set_parameters({std::vector<double>{1, 2, 0}, 3});
  const std::vector<double> x = {3, 0.1, -2};
  const CheckReport report = check(network, {x, 1}, {.device = "cuda", .closer = 1});
  EXPECT_EQ(report.summary.attracts, 3u);
  ASSERT_EQ(report.closer.size(), 1u);
  EXPECT_EQ(report.closer[0].equilibria->equilibria.size(), 3u);
}

// What only the processor can do is refused, not computed there instead.
TEST_F(FrontOnCuda, NoOtherDeviceTakesOver) {
  TableTrainingOptions options = training_on("cuda", 8);
  options.solver = "newton";
  Network network("2-8-1");
  network.set_trained_with({.solver = Newton{}});
  const ModelOf<float> model{*network.core<float>(), plain_encoding(2, 1), network.trained_with()};
  const std::vector<float> x = {1, 2};
  const std::vector<std::string> said = {
      refusal([&] { TableTraining(waves(60), options); }),
      refusal([&] { Predictor(model, {.device = "cuda"}); }),
      refusal([&] { network.settle({x, 2}, {.device = "cuda"}); }),
      refusal([&] { check(network, {x, 2}, {.device = "cuda"}); }),
      refusal([&] { network.forward({x, 2}, {.solver = "newton", .device = "cuda"}); }),
      refusal([&] { Training(network, {.gradient = {.solver = "newton", .device = "cuda"}}); })};
  EXPECT_THAT(said, testing::Each(testing::HasSubstr("device cuda does not have solver newton")));
}
TEST_F(FrontOnCuda, WithoutRecurrentConnectionsThereIsNothingToSearchFor) {
  TableTrainingOptions options = training_on("cuda", 8);
  options.recurrence = "none";
  Network network("2-8-1/none");
  const std::vector<float> x = {1, 2};
  const std::vector<std::string> said = {
      refusal([&] { TableTraining(waves(60), options); }),
      refusal([&] { network.settle({x, 2}, {.device = "cuda"}); }),
      refusal([&] { Training(network, {.gradient = {.device = "cuda"}}); })};
  EXPECT_THAT(said, testing::Each(testing::HasSubstr("/none has no recurrent connections; take device cpu")));
}

}  // namespace
}  // namespace irn
