// Every gradient agrees with central differences of what it differentiates.
#include <gtest/gtest.h>

#include "irn/base/options_text.h"
#include "tests/support/architectures.h"
#include "tests/support/batch_gradient.h"
#include "tests/support/solvers.h"

namespace irn {
namespace {

// Every kind with its defaults, and some with other lengths.
std::vector<Gradient> all_gradients() {
  std::vector<Gradient> all;
  for (const std::string_view name : names<Gradient>()) all.push_back(from_text<Gradient>(name));
  for (const char* text : {"truncated:terms=1", "truncated:terms=3,damping=0.5", "unrolled:steps=1",
                           "unrolled:steps=4", "reversible:steps=1", "reversible:steps=20,damping=0.7"})
    all.push_back(from_text<Gradient>(text));
  return all;
}

void expect_differences(const LossCase& c, const Gradient& gradient) {
  SCOPED_TRACE(to_text(gradient) + " on " + to_text(c.network.architecture()));
  const GradientResult<double> result = batch_gradient<double>(c, tight(gradient));
  const PlainGradient plain(c, gradient);
  ASSERT_EQ(result.used, c.inputs.size());
  ASSERT_EQ(result.parameters.size(), c.network.parameters().size());
  EXPECT_LE(relative_error(result.parameters, plain.parameters()), 1e-6);
  EXPECT_LE(relative_error(result.inputs, plain.inputs()), 1e-6);
}

TEST(Gradient, EveryKindAgreesWithCentralDifferencesOnEveryArchitecture) {
  std::uint64_t seed = 1700;  // a step of the differences crosses no kink of a relu
  for (const Architecture& architecture : all_architectures()) {
    const LossCase c(architecture, ++seed, 0.8, 2);
    for (const Gradient& gradient : all_gradients()) expect_differences(c, gradient);
  }
}

// Strong weights, far from contraction, where the flow still settles.
TEST(Gradient, ExactAgreesWithCentralDifferencesWhereTheMapDoesNotContract) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LossCase c(from_text<Architecture>("3-4-2"), seed, 2.5, 1);
    const GradientResult<double> result = batch_gradient<double>(c, tight(ExactGradient{}));
    const PlainNetwork plain(c.network);
    const Eigen::VectorXd z = plain.flow_limit(c.inputs[0], 0.1, 5000);
    if (result.used == 0 || plain.residual(z, c.inputs[0]) > 1e-12) continue;
    expect_differences(c, ExactGradient{});
    ++compared;
  }
  EXPECT_GE(compared, 10u);
}

// Neurons that the flow turns off approach zero from above, and still have no slope.
TEST(Gradient, EveryKindAtAnEquilibriumKnowsWhichReluNeuronsAreOffWhicheverSolverLeftThem) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LossCase c(from_text<Architecture>("3-4relu-3relu-2identity"), seed, 0.8, 3);
    for (const Gradient& gradient : equilibrium_gradients()) {
      const std::vector<double> want = PlainGradient(c, gradient).parameters();
      for (const Solver& solver : patient_solvers()) {
        const GradientResult<double> given =
            batch_gradient<double>(c, {.gradient = gradient, .settle = {solver}});
        EXPECT_LE(relative_error(given.parameters, want), 1e-5)
            << to_text(gradient) << " by " << to_text(solver) << ", seed " << seed;
      }
    }
  }
}

// y = 100 z + b, z = relu(z / 2 + x): dy/dt = 100 / (1 - 1/2), however large b is.
TEST(Gradient, AReluNeuronIsOnBesideALargeOne) {
  for (const float b : {0.0f, 1e4f, 1e6f, 1e9f}) {
    NetworkOf<float> network(from_text<Architecture>("1-1relu-1identity/none+1:1"), std::vector<float>(5));
    for (const Block& block : network.architecture().blocks())
      network.parameters()[block.weights] = block.from == 0 ? 1 : block.to == 1 ? 0.5f : 100;
    const std::size_t biases = network.architecture().biases();
    network.parameters()[biases + 1] = b;
    ThreadPool threads(1);
    CpuGradient<float> gradient(network, {}, threads);
    const auto forward =
        gradient.forward(SampleTable<float>(1, 0, {0.5f}, {}), std::vector<std::uint64_t>{0});
    ASSERT_EQ(forward.equilibria.verdicts[0].outcome, Outcome::settled) << b;
    EXPECT_NEAR(gradient.backward(forward, std::vector<float>{1}).parameters[biases], 200, 0.01) << b;
  }
}

TEST(Gradient, UnrolledTendsToExactAsItsStepsGrow) {
  std::uint64_t seed = 900;
  for (const Architecture& architecture : odd_architectures()) {
    const LossCase c(architecture, ++seed, 0.8, 3);
    const GradientResult<double> exact = batch_gradient<double>(c, tight(ExactGradient{}));
    double before = HUGE_VAL;
    for (const std::size_t steps : {4u, 16u, 64u, 256u}) {
      const double error = relative_error(
          batch_gradient<double>(c, tight(UnrolledGradient{steps})).parameters, exact.parameters);
      EXPECT_TRUE(error < before || error < 1e-12) << steps << " steps on " << to_text(architecture);
      before = error;
    }
    EXPECT_LE(before, 1e-10) << to_text(architecture);
  }
}

TEST(Gradient, ReversibleTendsToExactAsItsStepsGrow) {
  std::uint64_t seed = 900;
  for (const Architecture& architecture : odd_architectures()) {
    const LossCase c(architecture, ++seed, 0.8, 3);
    const GradientResult<double> exact = batch_gradient<double>(c, tight(ExactGradient{}));
    double before = HUGE_VAL;
    for (const std::size_t steps : {4u, 8u, 16u, 32u}) {
      const GradientResult<double> given = batch_gradient<double>(c, tight(ReversibleGradient{steps, 0.5}));
      EXPECT_EQ(given.used, 3u) << steps << " steps on " << to_text(architecture);
      const double error = relative_error(given.parameters, exact.parameters);
      EXPECT_LT(error, before) << steps << " steps on " << to_text(architecture);
      before = error;
    }
    // A mode of 0.8 falls by 0.9 a half step, by 0.9^64 = 1.2e-3 in all; its slope falls later.
    EXPECT_LE(before, 2e-2) << to_text(architecture);
  }
}

TEST(Gradient, TruncatedTendsToExactAsItsTermsGrow) {
  const LossCase c(from_text<Architecture>("3-4tanh-2"), 3, 0.8, 3);
  const GradientResult<double> exact = batch_gradient<double>(c, tight(ExactGradient{}));
  for (const double damping : {1.0, 0.5}) {
    const GradientResult<double> series = batch_gradient<double>(c, tight(TruncatedGradient{400, damping}));
    EXPECT_LE(relative_error(series.parameters, exact.parameters), 1e-10) << damping;
  }
}

TEST(Gradient, AllKindsAreOneWithoutRecurrence) {
  const LossCase c(from_text<Architecture>("3-4tanh-3softplus-2/none+0:3"), 3, 0.8, 3);
  const GradientResult<double> exact = batch_gradient<double>(c, tight(ExactGradient{}));
  for (const Gradient& gradient :
       {Gradient(SemiGradient{}), Gradient(UnrolledGradient{3}), Gradient(TruncatedGradient{3})})
    EXPECT_LE(relative_error(batch_gradient<double>(c, tight(gradient)).parameters, exact.parameters), 1e-13)
        << to_text(gradient);
}

TEST(Gradient, FloatAgreesWithDouble) {
  std::uint64_t seed = 1100;
  for (const Architecture& architecture : all_architectures()) {
    const LossCase c(architecture, ++seed, 0.8, 5);
    for (const Gradient& gradient : all_gradients()) {
      const GradientOptions options{.gradient = gradient, .input_gradient = true};
      const GradientResult<float> coarse = batch_gradient<float>(c, options);
      const GradientResult<double> fine = batch_gradient<double>(c, options);
      EXPECT_LE(relative_error(coarse.parameters, fine.parameters), 1e-3)
          << to_text(gradient) << " on " << to_text(architecture);
      EXPECT_LE(relative_error(coarse.inputs, fine.inputs), 1e-3)
          << to_text(gradient) << " on " << to_text(architecture);
    }
  }
}

}  // namespace
}  // namespace irn
