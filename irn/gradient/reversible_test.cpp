// The reversible gradient: the iteration returns to its start, or this is reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/batch_gradient.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

template <class T>
GradientResult<T> reversible(std::size_t steps, double damping, double gain, std::size_t samples = 40) {
  const LossCase c(from_text<Architecture>("3-20tanh-2"), 7, gain, samples);
  return batch_gradient<T>(c, {.gradient = ReversibleGradient{steps, damping}, .input_gradient = true});
}

// The pass back loses 30 bits, more than a float has; for networks that contract and for others.
TEST(Reversible, ThirtyStepsAreReversedInFloatAndInDouble) {
  for (const double gain : {0.5, 2.0, 8.0}) {
    const GradientResult<float> coarse = reversible<float>(30, 0.5, gain);
    const GradientResult<double> fine = reversible<double>(30, 0.5, gain);
    EXPECT_THAT(coarse.outcomes, Each(GradientOutcome::used)) << gain;
    EXPECT_THAT(fine.outcomes, Each(GradientOutcome::used)) << gain;
    if (gain < 8) {
      EXPECT_LE(relative_error(coarse.parameters, fine.parameters), 1e-4) << gain;
    }
  }
}

TEST(Reversible, StepsThatCannotBeReversedAreLeftOutAndNamed) {
  for (const std::size_t steps : {120u, 1000u}) {
    EXPECT_THAT(reversible<float>(steps, 0.7, 2).outcomes, Each(GradientOutcome::not_reversed)) << steps;
    EXPECT_THAT(reversible<double>(steps, 0.7, 2).outcomes, Each(GradientOutcome::not_reversed)) << steps;
    EXPECT_THAT(reversible<float>(steps, 0.7, 2).parameters, Each(0.0f)) << steps;
  }
}

// With damping 1/2 nothing is lost once a state is at rest: half a distance is exact. A gradient that is used
// is right after any number of steps.
TEST(Reversible, WhatIsUsedAfterManyStepsIsTheExactGradient) {
  const LossCase c(from_text<Architecture>("3-20tanh-2"), 7, 2, 40);
  const GradientResult<double> exact = batch_gradient<double>(c, tight(ExactGradient{}));
  const GradientResult<float> given = reversible<float>(1000, 0.5, 2);
  EXPECT_GT(given.used, 10u);
  for (std::size_t k = 0; k < given.inputs.size(); ++k)
    if (given.outcomes[k / 3] == GradientOutcome::used) {
      EXPECT_NEAR(double(given.inputs[k]), exact.inputs[k], 1e-4) << "sample " << k / 3;
    }
}

// So many samples that the pairs do not fit into memory at once: the sums are taken in slices.
TEST(Reversible, ALargeBatchIsTheMeanOfItsHalves) {
  const LossCase c(from_text<Architecture>("3-90tanh-2"), 7, 0.8, 400);
  const GradientOptions options{.gradient = ReversibleGradient{}};
  const GradientResult<double> whole = batch_gradient<double>(c, options, 2);
  EXPECT_EQ(whole.used, 400u);
  std::vector<double> mean(whole.parameters.size(), 0.0);
  for (const std::size_t first : {0u, 100u, 200u, 300u}) {
    LossCase part = c;
    const auto from = static_cast<std::ptrdiff_t>(first), to = from + 100;
    part.inputs.assign(c.inputs.begin() + from, c.inputs.begin() + to);
    part.slopes.assign(c.slopes.begin() + from, c.slopes.begin() + to);
    const GradientResult<double> given = batch_gradient<double>(part, options);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += given.parameters[k] / 4;
  }
  EXPECT_LE(relative_error(whole.parameters, mean), 1e-13);
  EXPECT_EQ(batch_gradient<double>(c, options, 1).parameters, whole.parameters) << "on one thread";
}

// A gradient of iterations differentiates exactly what the settler answers, to the bit.
TEST(IteratedGradient, TheForwardPassIsTheSolversAnswer) {
  for (const char* architecture : {"3-5-2", "3-4-2/none", "3-60relu-2"})
    for (const char* text : {"unrolled:steps=3", "unrolled", "reversible:steps=3", "reversible"}) {
      const LossCase c(from_text<Architecture>(architecture), 5, 2, 37);
      const SampleTable<float> samples(3, 0, LossCase::flat<float>(c.inputs), {});
      const GradientOptions options{.gradient = from_text<Gradient>(text)};
      ThreadPool threads(1);
      const NetworkOf<float> network = rounded<float>(c.network);
      CpuGradient<float> batch(network, options, threads);
      CpuSettler<float> settler(network, settling_of(options), threads);
      const Equilibria<float> answers = settler.settle(samples);
      std::vector<std::uint64_t> index(37);
      std::iota(index.begin(), index.end(), std::uint64_t{0});
      const Forward<float> forward = batch.forward(samples, index);
      EXPECT_EQ(forward.equilibria.states, answers.states) << text << " on " << architecture;
      for (std::size_t s = 0; s < 37; ++s) {
        EXPECT_EQ(forward.equilibria.verdicts[s].outcome, answers.verdicts[s].outcome);
        EXPECT_EQ(forward.equilibria.verdicts[s].residual, answers.verdicts[s].residual);
        EXPECT_TRUE(answers.answered(s));
      }
    }
}

TEST(IteratedGradient, AnotherSolverIsRefused) {
  const auto with = [](const Gradient& gradient, const Solver& solver) {
    return refusal([&] { settling_of({.gradient = gradient, .settle = {.solver = solver}}); });
  };
  EXPECT_THAT(with(UnrolledGradient{7}, Rosenbrock{}),
              AllOf(HasSubstr("iterate:steps=7"), HasSubstr("rosenbrock")));
  EXPECT_THAT(with(UnrolledGradient{7}, Iterate{8}), HasSubstr("iterate:steps=8"));
  EXPECT_THAT(with(ReversibleGradient{}, Iterate{}), HasSubstr("reversible"));
  EXPECT_EQ(with(UnrolledGradient{7}, Iterate{7}), "");
  EXPECT_EQ(with(UnrolledGradient{7}, Auto{}), "");
  EXPECT_EQ(with(ExactGradient{}, Iterate{7}), "") << "where it settles, an iterate is an equilibrium";
}

}  // namespace
}  // namespace irn
