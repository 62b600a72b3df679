// Where a gradient does not exist, this is reported: folds, samples that do not settle, numbers that leave
// the range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "irn/base/options_text.h"
#include "irn/kernels/targets_testing-inl.h"
#include "tests/support/batch_gradient.h"
#include "tests/support/refusal.h"
#include "tests/support/unchecked_samples.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Outcomes = std::vector<GradientOutcome>;

// One neuron z = sigmoid(8 z + x + b). Its lower equilibrium ends at x = 0 in a fold, where 8 z (1 - z) = 1;
// at x = -d before the fold the derivative grows like 1 / sqrt(d).
struct Fold {
  const double z = 0.5 - std::sqrt(0.125);
  const double b = std::log(z / (1 - z)) - 8 * z;
  NetworkOf<double> network{from_text<Architecture>("1-1"), {1.0, 8.0, b}};

  GradientResult<double> gradient(const std::vector<double>& inputs, GradientOptions options) const {
    ThreadPool threads(1);
    // Just before a fold a step of ordinary error leaps over the gap between the two equilibria.
    options.settle = {.solver = careful_solver(1), .tolerance = 1e-13};
    options.input_gradient = true;
    std::vector<std::uint64_t> index(inputs.size());
    std::iota(index.begin(), index.end(), std::uint64_t{0});
    CpuGradient<double> batch(network, options, threads);
    return batch.backward(batch.forward(SampleTable<double>(1, 0, inputs, {}), index),
                          std::vector<double>(inputs.size(), 1.0));
  }
};
const std::vector<double> towards_the_fold = {-1, -1e-2, -1e-8};

TEST(Fold, TheAmplificationOfEverySampleIsReported) {
  const auto result = Fold().gradient(towards_the_fold, {.on_fold = OnFold::keep});
  const PlainNetwork plain(Fold().network);
  for (std::size_t s = 0; s < towards_the_fold.size(); ++s) {
    const Eigen::VectorXd x = Eigen::VectorXd::Constant(1, towards_the_fold[s]);
    const Eigen::VectorXd z = plain.polish(plain.flow_limit(x, 0.5, 200000), x);
    const double want = 1 / (1 - 8 * z(0) * (1 - z(0)));
    EXPECT_NEAR(result.amplification[s] / want, 1, 1e-4) << towards_the_fold[s];
  }
  EXPECT_GT(result.amplification[2], 1000);
}

TEST(Fold, ASampleBeyondTheLimitIsLeftOut) {
  const auto result =
      Fold().gradient(towards_the_fold, {.on_fold = OnFold::leave_out, .amplification_limit = 100});
  const auto healthy = Fold().gradient({-1, -1e-2}, {});
  EXPECT_EQ(result.outcomes, (Outcomes{GradientOutcome::used, GradientOutcome::used, GradientOutcome::fold}));
  EXPECT_EQ(result.used, 2u);
  EXPECT_EQ(result.parameters, healthy.parameters);
  EXPECT_EQ(result.inputs[2], 0);
}

TEST(Fold, ASampleBeyondTheLimitIsScaledDownToIt) {
  const auto limited =
      Fold().gradient(towards_the_fold, {.on_fold = OnFold::limit, .amplification_limit = 100});
  const auto kept = Fold().gradient(towards_the_fold, {.on_fold = OnFold::keep});
  EXPECT_EQ(limited.outcomes,
            (Outcomes{GradientOutcome::used, GradientOutcome::used, GradientOutcome::limited}));
  EXPECT_EQ(limited.used, 3u);
  EXPECT_NEAR(limited.inputs[2], kept.inputs[2] * 100 / kept.amplification[2], 1e-12);
  EXPECT_EQ(limited.inputs[0], kept.inputs[0]);
  EXPECT_NEAR(limited.parameters[2], (limited.inputs[0] + limited.inputs[1] + limited.inputs[2]) / 3, 1e-12);
}

TEST(Fold, ASampleBeyondTheLimitIsUsedAsItIsWhenAskedFor) {
  const auto kept = Fold().gradient(towards_the_fold, {.on_fold = OnFold::keep, .amplification_limit = 100});
  EXPECT_THAT(kept.outcomes, Each(GradientOutcome::used));
  EXPECT_NEAR(kept.parameters[2], (kept.inputs[0] + kept.inputs[1] + kept.inputs[2]) / 3,
              1e-9 * kept.inputs[2]);
}

template <class T>
bool all_finite(const std::vector<T>& values) {
  return std::ranges::all_of(values, [](T v) { return std::isfinite(v); });
}

// z_0 = tanh(z_0 + x) rests at 0, where I - D A is singular; z_1 = tanh(x) is regular.
TEST(Fold, AnExactlySingularSampleNeverEntersTheGradient) {
  const NetworkOf<double> network(from_text<Architecture>("1-2tanh"),
                                  {1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0});
  for (const OnFold policy : {OnFold::leave_out, OnFold::limit, OnFold::keep}) {
    ThreadPool threads(1);
    CpuGradient<double> batch(network, {.on_fold = policy, .input_gradient = true}, threads);
    const auto forward =
        batch.forward(SampleTable<double>(1, 0, {0, -1}, {}), std::vector<std::uint64_t>{0, 1});
    const auto result = batch.backward(forward, std::vector<double>{1, 1, 1, 1});
    EXPECT_THAT(result.outcomes, ElementsAre(GradientOutcome::fold, GradientOutcome::used));
    EXPECT_TRUE(std::isinf(result.amplification[0]));
    EXPECT_TRUE(all_finite(result.parameters) && all_finite(result.inputs));
    EXPECT_EQ(result.used, 1u);
  }
}

// Samples without input rest at once; the others run out of steps.
TEST(GradientOutcome, UnsettledSamplesAreLeftOutAndCounted) {
  const NetworkOf<double> network(from_text<Architecture>("1-3tanh-2tanh"), [] {
    std::vector<double> values = random_numbers<double>(3 + 9 + 6 + 6 + 4 + 5, 3);
    std::fill_n(values.end() - 5, 5, 0.0);
    return values;
  }());
  ThreadPool threads(1);
  for (const Gradient& gradient : equilibrium_gradients()) {
    CpuGradient<double> batch(
        network, {.gradient = gradient, .settle = {FixedPoint{.steps = 2}}, .input_gradient = true}, threads);
    const auto forward =
        batch.forward(SampleTable<double>(1, 0, {0, 1, 0, 2}, {}), std::vector<std::uint64_t>{0, 1, 2, 3});
    EXPECT_EQ(forward.equilibria.summary().count[0], 2u);
    const auto result = batch.backward(forward, std::vector<double>{1, 0, 1, 1, 1, 0, 1, 1});
    const auto used = GradientOutcome::used, left = GradientOutcome::not_settled;
    EXPECT_THAT(result.outcomes, ElementsAre(used, left, used, left)) << to_text(gradient);
    EXPECT_EQ(result.used, 2u);
    EXPECT_EQ(result.inputs[1], 0);
    EXPECT_THAT(result.parameters, Not(Each(0.0))) << to_text(gradient);
    const auto others =
        batch.forward(SampleTable<double>(1, 0, {1, 2}, {}), std::vector<std::uint64_t>{0, 1});
    EXPECT_THAT(batch.backward(others, std::vector<double>{1, 0, 1, 1}).parameters, Each(0.0))
        << "none is used";
  }
}

template <class T>
void expect_finite_for_slopes(const Gradient& gradient, T slope) {
  const NetworkOf<T> network = random_network<T>(from_text<Architecture>("2-3identity-2"), 3, 0.8);
  ThreadPool threads(1);
  CpuGradient<T> batch(network, {.gradient = gradient, .input_gradient = true}, threads);
  const auto forward =
      batch.forward(SampleTable<T>(2, 0, {T(1), T(2), T(30), T(40)}, {}), std::vector<std::uint64_t>{0, 1});
  const auto result = batch.backward(forward, std::vector<T>{slope, slope, 1, 1});
  EXPECT_TRUE(all_finite(result.parameters)) << to_text(gradient) << " slope " << slope;
  EXPECT_TRUE(all_finite(result.inputs)) << to_text(gradient) << " slope " << slope;
}

TEST(GradientOutcome, NoLossSlopeMakesTheGradientAnythingButFinite) {
  for (const std::string_view name : names<Gradient>())
    for (const double slope : {HUGE_VAL, -HUGE_VAL, std::nan(""), 1e308, 3e38, 0.0}) {
      expect_finite_for_slopes<double>(from_text<Gradient>(name), slope);
      expect_finite_for_slopes<float>(from_text<Gradient>(name), static_cast<float>(slope));
    }
}

TEST(GradientOutcome, AnInputGradientThatOverflowsIsNotFinite) {
  const NetworkOf<double> network(from_text<Architecture>("1-1identity"), {10.0, 0.0, 0.0});
  ThreadPool threads(1);
  CpuGradient<double> batch(network, {.input_gradient = true}, threads);
  const auto forward = batch.forward(SampleTable<double>(1, 0, {0}, {}), std::vector<std::uint64_t>{0});
  const auto result = batch.backward(forward, std::vector<double>{1e308});
  EXPECT_TRUE(all_finite(result.parameters) && all_finite(result.inputs));
  EXPECT_EQ(result.outcomes[0], GradientOutcome::not_finite);
}

// Plain iterations that grow without bound in the first neuron, and rest in the second.
TEST(GradientOutcome, UnrolledIterationsThatOverflowAreNotFinite) {
  const NetworkOf<float> network(from_text<Architecture>("1-2identity"), {1, 1, 1e10f, 0, 0, 0, 0, 0});
  ThreadPool threads(1);
  CpuGradient<float> batch(network, {.gradient = UnrolledGradient{30}, .input_gradient = true}, threads);
  const auto forward = batch.forward(SampleTable<float>(1, 0, {1, 0}, {}), std::vector<std::uint64_t>{0, 1});
  EXPECT_EQ(forward.equilibria.verdicts[0].outcome, Outcome::not_finite);
  EXPECT_EQ(forward.equilibria.verdicts[1].outcome, Outcome::settled);
  const auto result = batch.backward(forward, std::vector<float>{1, 1, 1, 1});
  EXPECT_EQ(result.outcomes[0], GradientOutcome::not_finite);
  EXPECT_TRUE(all_finite(result.parameters) && all_finite(result.inputs));
}

// The first sample's neuron drives itself beyond the range of numbers, the second sample's is off.
void expect_one_left_out(const NetworkOf<float>& network, const Gradient& gradient) {
  const SampleTable<float> both(1, 0, {1, -1}, {});
  ThreadPool threads(1);
  const Solver solver = iteration_of(gradient).value_or(FixedPoint{.damping = 1});
  CpuGradient<float> batch(network, {.gradient = gradient, .settle = {.solver = solver}}, threads);
  const auto forward = batch.forward(both, std::vector<std::uint64_t>{0, 1});
  EXPECT_EQ(forward.equilibria.verdicts[0].outcome, Outcome::not_finite);
  EXPECT_EQ(forward.equilibria.verdicts[1].outcome, Outcome::settled);
  const auto result = batch.backward(forward, std::vector<float>{1, 1, 1, 1});
  EXPECT_NE(result.outcomes[0], GradientOutcome::used);
  EXPECT_EQ(result.outcomes[1], GradientOutcome::used);
  EXPECT_EQ(result.used, 1u);
  EXPECT_TRUE(all_finite(result.parameters));
}

// The relu of a NaN is NaN, whatever the processor's maximum instruction makes of it.
TEST(GradientOutcome, ASampleThatDivergesIsLeftOutAndTheOtherIsUsedOnEveryTarget) {
  const NetworkOf<float> network(from_text<Architecture>("1-2relu"), {1, 1, 1e10f, 0, 0, 0, 0, 0.5f});
  std::vector<Gradient> all = {ReversibleGradient{30, 0.9}};
  for (const std::string_view name : names<Gradient>()) all.push_back(from_text<Gradient>(name));
  kernels::for_each_target([&](const char* target) {
    for (const Gradient& gradient : all) {
      SCOPED_TRACE(std::string(target) + " " + to_text(gradient));
      expect_one_left_out(network, gradient);
    }
  });
}

TEST(GradientOutcome, AnInputThatIsNoNumberCostsNoOtherSampleItsGradient) {
  const UncheckedSamples<double> samples(2, {1, 2, std::nan(""), 1, 0.5, -1});
  ThreadPool threads(1);
  for (const char* text : {"2-3", "2-3tanh", "2-3relu", "2-90", "2-3-1/none"})
    for (const std::string_view name : names<Gradient>()) {
      SCOPED_TRACE(std::string(text) + " " + std::string(name));
      const NetworkOf<double> network(from_text<Architecture>(text), Start::scaled, 1);
      CpuGradient<double> batch(network, {.gradient = from_text<Gradient>(name), .input_gradient = true},
                                threads);
      const auto forward = batch.forward(samples, std::vector<std::uint64_t>{0, 1, 2});
      const auto result =
          batch.backward(forward, std::vector<double>(3 * network.architecture().outputs(), 1.0));
      EXPECT_EQ(result.used, 2u);
      EXPECT_NE(result.outcomes[1], GradientOutcome::used);
      EXPECT_TRUE(all_finite(result.parameters) && all_finite(result.inputs));
    }
}

// One relu neuron multiplies itself by 200: beyond the range of float after 17 iterations, while the slopes
// stay in range.
TEST(GradientOutcome, UnrolledIterationsLeaveOutWhatOverflowsAfterAnyNumberOfThem) {
  const NetworkOf<float> network(from_text<Architecture>("1-1relu"), {1, 200, 0});
  for (const std::size_t steps : {16u, 17u, 18u, 20u, 30u, 60u}) {
    ThreadPool threads(1);
    CpuGradient<float> batch(network, {.gradient = UnrolledGradient{steps}}, threads);
    const auto forward =
        batch.forward(SampleTable<float>(1, 0, {1, -1}, {}), std::vector<std::uint64_t>{0, 1});
    const bool lost = forward.equilibria.verdicts[0].outcome == Outcome::not_finite;
    const auto result = batch.backward(forward, std::vector<float>{1, 1});
    EXPECT_EQ(lost, steps >= 17) << steps;
    EXPECT_EQ(result.outcomes[1], GradientOutcome::used) << steps;
    if (lost) {
      EXPECT_EQ(result.outcomes[0], GradientOutcome::not_finite) << steps;
    }
  }
}

TEST(GradientRefusal, OfAForwardThatWasRefusedOrIsOfOtherParametersThereIsNone) {
  NetworkOf<double> network(from_text<Architecture>("2-3"), Start::paper, 1);
  const SampleTable<double> samples(2, 0, {1, 2, 3, 4}, {});
  const std::vector<std::uint64_t> both = {0, 1};
  ThreadPool threads(1);
  CpuGradient<double> batch(network, {}, threads);
  Forward<double> forward;
  const auto backward = [&] {
    return refusal([&] { batch.backward(forward, std::vector<double>(6, 1.0)); });
  };
  EXPECT_EQ(backward(), "backward() needs a forward() pass first");
  batch.forward(samples, both, forward);
  EXPECT_EQ(backward(), "");
  EXPECT_NE(refusal([&] { batch.forward(samples, std::vector<std::uint64_t>{0, 9}, forward); }), "");
  EXPECT_EQ(backward(), "backward() needs a forward() pass first");
  batch.forward(samples, both, forward);
  batch.update(network);
  EXPECT_THAT(backward(), AllOf(HasSubstr("present parameters"), HasSubstr("update()")));
  forward = CpuGradient<double>(network, {}, threads).forward(samples, both);
  EXPECT_THAT(backward(), HasSubstr("another gradient"));
}

TEST(GradientRefusal, OptionsThatMakeNoSenseAreNamedInTextAndInCode) {
  const auto in_text = [](const char* text) { return refusal([&] { from_text<Gradient>(text); }); };
  const auto in_code = [](const GradientOptions& options) {
    ThreadPool threads(1);
    return refusal([&] {
      CpuGradient<double>(NetworkOf<double>(from_text<Architecture>("2-3"), Start::paper, 1), options,
                          threads);
    });
  };
  EXPECT_THAT(in_text("exat"), HasSubstr("did you mean \"exact\""));
  EXPECT_THAT(in_text("truncated:terms=0"), AllOf(HasSubstr("truncated"), HasSubstr("terms")));
  EXPECT_THAT(in_text("truncated:terms=1000000000000"), HasSubstr("1000000000000; give 1 to 1000000"));
  EXPECT_THAT(in_text("truncated:damping=1.5"), AllOf(HasSubstr("truncated"), HasSubstr("damping")));
  EXPECT_THAT(in_text("unrolled:steps=0"), AllOf(HasSubstr("unrolled"), HasSubstr("steps")));
  EXPECT_THAT(in_text("reversible:steps=0"), AllOf(HasSubstr("reversible"), HasSubstr("steps")));
  EXPECT_THAT(in_text("reversible:damping=1"), AllOf(HasSubstr("reversible"), HasSubstr("damping")));
  EXPECT_THAT(in_code({.gradient = TruncatedGradient{.terms = 0}}), HasSubstr("terms"));
  EXPECT_THAT(in_code({.gradient = TruncatedGradient{.damping = 0}}), HasSubstr("damping"));
  EXPECT_THAT(in_code({.gradient = UnrolledGradient{.steps = 0}}), HasSubstr("steps"));
  EXPECT_THAT(in_code({.amplification_limit = 1}), HasSubstr("amplification"));
  EXPECT_THAT(in_code({.amplification_limit = std::nan("")}), HasSubstr("amplification"));
  EXPECT_EQ(in_code({}), "");
}

TEST(GradientRefusal, EveryGradientTextIsReadBackAsItself) {
  for (const char* text : {"exact", "semi", "truncated", "truncated:terms=3,damping=0.5", "unrolled:steps=7",
                           "reversible:steps=20,damping=0.9"})
    EXPECT_EQ(to_text(from_text<Gradient>(text)), text);
}

TEST(GradientRefusal, SamplesAndSlopesOfTheWrongSizeAreRefusedByEveryKind) {
  const NetworkOf<double> network(from_text<Architecture>("2-3"), Start::paper, 1);
  for (const std::string_view name : names<Gradient>()) {
    ThreadPool threads(1);
    CpuGradient<double> batch(network, {.gradient = from_text<Gradient>(name)}, threads);
    const std::vector<std::uint64_t> index = {0, 1};
    for (const std::size_t inputs : {1u, 3u}) {
      const SampleTable<double> wrong(inputs, 0, std::vector<double>(6, 1.0), {});
      EXPECT_THAT(refusal([&] { batch.forward(wrong, index); }), AllOf(HasSubstr("inputs"), HasSubstr("2-3")))
          << name;
    }
    const auto forward = batch.forward(SampleTable<double>(2, 0, {1, 2, 3, 4}, {}), index);
    EXPECT_THAT(refusal([&] { batch.backward(forward, std::vector<double>(5)); }),
                AllOf(HasSubstr("6 loss slopes"), HasSubstr("5 were given")));
  }
}

}  // namespace
}  // namespace irn
