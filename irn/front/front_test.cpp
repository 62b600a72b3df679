// The front door: views of any layout, options as values or text, networks as values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <span>
#include <type_traits>

#include "irn/base/file.h"
#include "irn/irn.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<double> inputs = {0.1, -0.4, 0.7, 0.9, -0.2,
                                    0.3, 0.5,  0.5, -0.8};  // three samples of three

Network small(Precision precision = Precision::float64) {
  Network network("3-4tanh-2identity", {.precision = precision, .start = Start::paper, .seed = 5});
  std::vector<double> values = network.parameters().values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.4 * std::sin(1.7 * double(i));
  network.set_parameters({values, values.size()});
  return network;
}

TEST(View, ReadsAnyLayout) {
  const std::vector<float> m = {1, 2, 3, 4, 5, 6};
  const View rows(m, 3), columns(m.data(), 3, 2, 1, 3), backwards(m.data() + 5, 2, 3, -3, -1);
  EXPECT_EQ(rows.values(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(columns.values(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(backwards.values(), (std::vector<double>{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(rows.columns(1, 2).values(), (std::vector<double>{2, 3, 5, 6}));
  EXPECT_EQ(rows.row(1).values(), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(columns.rows(1, 2).values(), (std::vector<double>{2, 5, 3, 6}));
}

// Other floating-point types would be read as doubles.
TEST(View, IsOfFloatsOrDoublesAlone) {
  using Size = std::size_t;
  static_assert(std::is_constructible_v<View, const std::vector<float>&, Size>);
  static_assert(std::is_constructible_v<View, const double*, Size, Size>);
  static_assert(!std::is_constructible_v<View, const std::vector<long double>&, Size>);
  static_assert(!std::is_constructible_v<View, std::span<const long double>, Size>);
  static_assert(!std::is_constructible_v<View, const long double*, Size, Size>);
  static_assert(!std::is_constructible_v<View, const volatile double*, Size, Size>);
  static_assert(!std::is_constructible_v<View, const int*, Size, Size>);
}

TEST(View, IsNotCopiedWhereTheLayoutAllows) {
  const std::vector<float> m = {1, 2, 3, 4, 5, 6};
  std::vector<float> copy;
  std::vector<double> wide;
  EXPECT_EQ(View(m, 3).as(copy).data(), m.data());
  const float* elsewhere = View(m.data(), 3, 2, 1, 3).as(copy).data();
  EXPECT_EQ(elsewhere, copy.data());
  EXPECT_EQ(View(m, 3).as(wide)[4], 5.0);
}

TEST(FrontNetwork, GivesTheSameAnswersForAnyLayoutOfTheInputs) {
  Network network = small();
  std::vector<double> by_columns(9);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) by_columns[j * 3 + i] = inputs[i * 3 + j];
  const Answers rows = network.settle({inputs, 3}), columns = network.settle({by_columns.data(), 3, 3, 1, 3});
  ASSERT_TRUE(rows.settled(0) && rows.settled(1) && rows.settled(2));
  EXPECT_EQ(rows.states().values(), columns.states().values());
  EXPECT_EQ(rows.outputs().columns(), 2u);
  EXPECT_EQ(rows.outputs()(1, 1), rows.states()(1, 5));  // outputs are the last
}

TEST(FrontNetwork, TakesOptionsAsValuesAndAsText) {
  Network network = small();
  const Answers value = network.settle({inputs, 3}, {.solver = Anderson{.memory = 3}, .tolerance = 1e-9}),
                text = network.settle({inputs, 3}, {.solver = "anderson:memory=3", .tolerance = 1e-9});
  EXPECT_EQ(value.states().values(), text.states().values());
  EXPECT_THAT(refusal([&] { network.settle({inputs, 3}, {.solver = "andersen"}); }), HasSubstr("anderson"));
  EXPECT_THAT(refusal([&] { network.settle({inputs, 3}, {.device = "abacus"}); }),
              AllOf(HasSubstr("abacus"), HasSubstr("cpu")));
}

// There is no device of this number, or no device at all.
TEST(FrontNetwork, ADeviceThatCannotBeUsedIsRefused) {
  Network network = small();
  const std::vector<std::string> said = {
      refusal([&] { network.settle({inputs, 3}, {.device = "cuda:97"}); }),
      refusal([&] { network.settle(View(static_cast<const float*>(nullptr), 0, 3), {.device = "cuda:97"}); }),
      refusal([&] { network.forward({inputs, 3}, {.device = "cuda:97"}); }),
      refusal([&] { Training(network, {.gradient = {.device = "cuda:97"}}); }),
      refusal([&] { check(network, {inputs, 3}, {.device = "cuda:97"}); })};
  EXPECT_THAT(said, Each(AllOf(HasSubstr("device cuda:97"), Not(HasSubstr("\n")))));
  const std::vector<DeviceFinding> all = find_devices();
  EXPECT_TRUE(all.front().device == Device::cpu && all.front().usable);
}

TEST(FrontNetwork, BothPrecisionsAgree) {
  Network one = small(Precision::float32), two = small();
  const std::vector<double> a = one.settle({inputs, 3}).outputs().values(),
                            b = two.settle({inputs, 3}).outputs().values();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-4);
}

TEST(FrontNetwork, ACopyAnswersAsTheOriginalWasTrained) {
  Network network = small();
  network.set_trained_with({.solver = Iterate{.steps = 3}});
  const Network copy = network;
  EXPECT_EQ(to_text(copy.trained_with().solver), "iterate:steps=3");
}

TEST(FrontNetwork, IsAValue) {
  Network network = small(), copy = network;
  const std::vector<double> before = network.settle({inputs, 3}).states().values();
  copy.set_parameter("layer1.bias", {std::vector<double>{1, 1, 1, 1}, 4});
  EXPECT_EQ(network.settle({inputs, 3}).states().values(), before);
  EXPECT_NE(copy.settle({inputs, 3}).states().values(), before);
  EXPECT_EQ(copy.parameter("layer1.bias").values(), (std::vector<double>{1, 1, 1, 1}));
}

TEST(FrontNetwork, StartsWhereItIsTold) {
  // tanh(2 z) has equilibria near 0.957 and -0.957 and a repelling one at 0.
  Network network("1-1tanh/lateral", {.precision = Precision::float64});
  network.set_parameters({std::vector<double>{0, 2, 0}, 3});
  const std::vector<double> x = {0, 0}, starts = {0.1, -0.1}, one = {0.3};
  const Answers each = network.settle({x, 1}, {}, {starts, 1}), all = network.settle({x, 1}, {}, {one, 1});
  EXPECT_NEAR(each.states()(0, 0), 0.9575, 1e-4);
  EXPECT_NEAR(each.states()(1, 0), -0.9575, 1e-4);
  EXPECT_NEAR(all.states()(1, 0), 0.9575, 1e-4);
  const std::vector<double> slopes = {1, 1};
  EXPECT_EQ(network.backward(network.forward({x, 1}, {}, {starts, 1}), {slopes, 1}).used(), 2u);
}

TEST(FrontNetwork, APassOutlivesOtherPassesButNotItsParameters) {
  Network network = small(), other = small();
  const std::vector<double> slopes = {1, -1, 0.5, 2, 0, 1};
  const Pass pass = network.forward({inputs, 3}, {.tolerance = 1e-12, .inputs = true});
  const std::vector<double> before = network.backward(pass, {slopes, 2}).inputs().values();
  network.forward({inputs, 3});
  network.forward({inputs, 3}, {.tolerance = 1e-9});
  EXPECT_EQ(network.backward(pass, {slopes, 2}).inputs().values(), before);
  EXPECT_THAT(refusal([&] { other.backward(pass, {slopes, 2}); }), HasSubstr("forward() of this network"));
  const std::vector<double> same = network.parameters().values();
  network.set_parameters({same, same.size()});
  EXPECT_THAT(refusal([&] { network.backward(pass, {slopes, 2}); }), HasSubstr("present parameters"));
}

TEST(FrontNetwork, DifferentiatesWhatItSettles) {
  Network network = small();
  const std::vector<double> slopes = {1, -1, 0.5, 2, 0, 1};
  const auto loss = [&](Network& n) {
    const Answers answers = n.settle({inputs, 3}, {.tolerance = 1e-12});
    double sum = 0;
    for (std::size_t k = 0; k < slopes.size(); ++k) sum += slopes[k] * answers.outputs()[k] / 3;
    return sum;
  };
  const Pass pass = network.forward({inputs, 3}, {.tolerance = 1e-12, .inputs = true});
  const Gradients gradient = network.backward(pass, {slopes, 2});
  EXPECT_EQ(gradient.used(), 3u);
  EXPECT_EQ(gradient.inputs().rows(), 3u);
  EXPECT_EQ(network.backward(pass, {slopes, 2}).parameters().values(), gradient.parameters().values());
  for (std::size_t p = 0; p < gradient.parameters().size(); p += 5) {
    std::vector<double> values = network.parameters().values();
    Network above = network, below = network;
    values[p] += 1e-6, above.set_parameters({values, values.size()});
    values[p] -= 2e-6, below.set_parameters({values, values.size()});
    EXPECT_NEAR(gradient.parameters()[p], (loss(above) - loss(below)) / 2e-6, 1e-7);
  }
}

TEST(FrontNetwork, RefusesInOneLineWhatDoesNotFit) {
  Network network = small();
  EXPECT_THAT(refusal([&] { network.settle({inputs, 9}); }),
              AllOf(HasSubstr("1 x 9"), HasSubstr("3 columns")));
  EXPECT_THAT(refusal([&] { network.settle({inputs, 3}, {}, {inputs, 3}); }),
              HasSubstr("start states are 3 x 3"));
  EXPECT_THAT(refusal([&] { network.set_parameters({inputs, 9}); }), HasSubstr("9 were given"));
  EXPECT_THAT(refusal([&] { network.parameter("layer1.baas"); }), HasSubstr("layer1.bias"));
  EXPECT_THAT(refusal([&] { network.backward(Pass(), {inputs, 3}); }), HasSubstr("forward()"));
  const Pass pass = network.forward({inputs, 3});
  EXPECT_THAT(refusal([&] { network.backward(pass, {inputs, 3}); }), HasSubstr("6"));
  network.set_parameter("layer1.bias", {std::vector<double>{1, 1, 1, 1}, 4});
  EXPECT_THAT(refusal([&] { network.backward(pass, {std::vector<double>(6), 2}); }), HasSubstr("forward()"));
  std::vector<double> bad = inputs;
  bad[4] = std::nan("");
  EXPECT_THAT(refusal([&] { network.settle({bad, 3}); }), HasSubstr("row 1, column 1"));
}

TEST(FrontNetwork, SavesAndLoadsItself) {
  Network network = small();
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "irn_front_test.irn";
  network.save(path);
  Network loaded = Network::load(path);
  std::filesystem::remove(path);
  EXPECT_EQ(loaded.precision(), Precision::float64);
  EXPECT_EQ(loaded.settle({inputs, 3}).states().values(), network.settle({inputs, 3}).states().values());
}

TEST(FrontTraining, LearnsWithAReadyLoopAndWithOnesOwn) {
  const std::vector<double> targets = {0.2, 0.7, -0.3};
  Network ready("3-6tanh-1identity", {.precision = Precision::float64, .seed = 1}), own = ready;
  Training training(ready, {.optimiser = "adam:rate=0.02", .loss = "huber:delta=0.5"});
  const double before = training.evaluate({inputs, 3}, {targets, 1}).loss;
  for (int step = 0; step < 300; ++step) training.step({inputs, 3}, {targets, 1});
  EXPECT_LT(training.evaluate({inputs, 3}, {targets, 1}).loss, 0.01 * before);

  Network fresh("3-6tanh-1identity", {.precision = Precision::float64, .seed = 1});
  ready.set_parameters(fresh.parameters());  // a training sees changes that others make
  EXPECT_NEAR(training.step({inputs, 3}, {targets, 1}).loss, before, 1e-7);

  Optimiser optimiser("adam:rate=0.02", own);
  for (int step = 0; step < 300; ++step) {
    const Pass pass = own.forward({inputs, 3});
    std::vector<double> slopes;
    for (std::size_t s = 0; s < 3; ++s) slopes.push_back(2 * (pass.outputs()(s, 0) - targets[s]));
    EXPECT_EQ(optimiser.step(own, own.backward(pass, {slopes, 1}).parameters()), StepOutcome::applied);
  }
  for (std::size_t s = 0; s < 3; ++s) EXPECT_NEAR(own.settle({inputs, 3}).outputs()(s, 0), targets[s], 0.05);
}

TEST(FrontNetwork, NoSamplesHaveNoAnswers) {
  Network network("3-4-2");
  const Answers none = network.settle(View(static_cast<const float*>(nullptr), 0, 3));
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.states().columns(), 6u);
  EXPECT_EQ(none.outputs().columns(), 2u);
  EXPECT_THROW(network.settle(View(static_cast<const float*>(nullptr), 0, 4)), Error);
}

// With the certificate the check is skipped. Beyond the bound it is proven anew, and fails.
TEST(FrontNetwork, SettlesByItsCertificateForAsLongAsThatHolds) {
  Network network("2-20tanh");
  const Training training(network, {.certify = 0.9});
  const std::vector<float> row = {0.5, -1};
  EXPECT_TRUE(network.certified());
  EXPECT_EQ(network.settle({row, 2}).verdicts()[0].stability, Stability::unasked);
  const std::vector<float> strong(400, 1);
  network.set_parameter("layer1.layer1", {strong, 20});
  EXPECT_FALSE(network.certified());
  EXPECT_NE(network.settle({row, 2}).verdicts()[0].stability, Stability::unasked);
}

TEST(FrontTraining, SavesTheCertificateThatItKeeps) {
  const std::vector<double> targets = {3, -2, 5};
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "front_certified.safetensors";
  for (const double bound : {0.0, 0.8}) {
    Network network("3-20tanh-1identity/none+1:1", {.precision = Precision::float64, .seed = 1});
    Training training(network, {.optimiser = "adam:rate=0.1", .certify = bound});
    for (int step = 0; step < 200; ++step) training.step({inputs, 3}, {targets, 1});
    training.certify();
    network.save(file);
    EXPECT_EQ(read_file(file).find("irn.certificate") != std::string::npos, bound > 0);
    if (bound > 0) {
      EXPECT_EQ(Network::load(file).settle({inputs, 3}).summary().settled(), 3u);
    }
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace irn
