// Every solver on networks, compared with plain code: the same equilibrium and an honest residual.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "irn/kernels/targets_testing-inl.h"
#include "irn/network/certificate.h"
#include "tests/support/architectures.h"
#include "tests/support/fidelity.h"
#include "tests/support/settle_samples.h"
#include "tests/support/solvers.h"
#include "tests/support/unchecked_samples.h"

namespace irn {
namespace {

// Rows of f' |A| that sum to 0.8 amplify a residual five times at most.
void expect_equilibria(const Solver& solver, const NetworkOf<double>& network,
                       const SampleTable<double>& samples) {
  const double tolerance = 1e-10;
  const Equilibria<double> found = settle_with(solver, network, samples, tolerance);
  const PlainNetwork plain(network);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const Eigen::VectorXd x = as_vector(samples.input_row(s)), z = as_vector(found.state(s));
    ASSERT_TRUE(found.settled(s)) << name(found.verdicts[s].outcome);
    EXPECT_NEAR(found.verdicts[s].residual, plain.residual(z, x), 1e-14);
    EXPECT_LE((z - plain.flow_limit(x)).cwiseAbs().maxCoeff(),
              10 * tolerance * std::max(1.0, z.cwiseAbs().maxCoeff()));
  }
}

TEST(NetworkEquilibrium, EverySolverSettlesEveryArchitectureWhereTheFlowDoes) {
  std::uint64_t seed = 100;
  for (const Architecture& architecture : all_architectures()) {
    const NetworkOf<double> network = random_network<double>(architecture, ++seed, 0.8);
    const SampleTable<double> samples = random_samples<double>(architecture.inputs(), 3);
    for (const Solver& solver : patient_solvers()) {
      SCOPED_TRACE(to_text(solver) + " on " + to_text(architecture));
      expect_equilibria(solver, network, samples);
    }
  }
}

TEST(NetworkEquilibrium, AWideNetworkSettlesByEverySolver) {
  const NetworkOf<double> network = random_network<double>(from_text<Architecture>("10-60tanh-7"), 5, 0.8);
  const SampleTable<double> samples = random_samples<double>(10, 3);
  for (const Solver& solver : patient_solvers()) {
    SCOPED_TRACE(to_text(solver));
    expect_equilibria(solver, network, samples);
  }
}

TEST(NetworkEquilibrium, WithoutRecurrenceOneSweepIsExact) {
  for (std::size_t f = 0; f < activation_names.size(); ++f) {
    const Architecture architecture = uniform_architecture(4, static_cast<Activation>(f), Recurrence::none);
    const NetworkOf<double> network = random_network<double>(architecture, f, 3);
    const SampleTable<double> samples = random_samples<double>(3, 40);
    const PlainNetwork plain(network);
    const Equilibria<double> found = settle_with<double>(Auto{}, network, samples);
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const Eigen::VectorXd want = plain.sweep(Eigen::VectorXd::Zero(10), as_vector(samples.input_row(s)));
      EXPECT_LE((as_vector(found.state(s)) - want).cwiseAbs().maxCoeff(),
                1e-14 * (1 + want.cwiseAbs().maxCoeff()));
      EXPECT_EQ(found.verdicts[s].evaluations, 1u);
      EXPECT_TRUE(found.settled(s));
    }
  }
}

TEST(NetworkEquilibrium, FloatAgreesWithDoubleToItsTolerance) {
  std::uint64_t seed = 300;
  for (const Architecture& architecture : odd_architectures()) {
    const NetworkOf<float> network = random_network<float>(architecture, ++seed, 0.8);
    const SampleTable<float> samples = random_samples<float>(architecture.inputs(), 20);
    const PlainNetwork plain(network);
    for (const Solver& solver : patient_solvers()) {
      const Equilibria<float> found = settle_with(solver, network, samples);
      for (std::size_t s = 0; s < samples.size(); ++s) {
        ASSERT_TRUE(found.settled(s)) << to_text(solver) << " on " << to_text(architecture);
        const Eigen::VectorXd want = plain.flow_limit(as_vector(samples.input_row(s)), 0.1, 2000, 1e-9);
        ASSERT_LE((as_vector(found.state(s)) - want).cwiseAbs().maxCoeff(), 1e-4)
            << to_text(solver) << to_text(architecture);
      }
    }
  }
}

Fidelity fidelity_of(const SettleOptions& options) {
  ThreadPool threads(1);
  return fidelity_on_strong_networks<double>(
      [&](const NetworkOf<double>& network, const SampleTable<double>& samples) {
        return CpuSettler<double>(network, options, threads).settle(samples);
      },
      1e-6);
}

TEST(NetworkEquilibrium, AutoFollowsTheFlowOfStrongNetworks) {
  const Fidelity counts = fidelity_of({});
  EXPECT_GE(counts.flow_settles, 1000u) << "too few to say anything";
  EXPECT_GE(double(counts.same), 0.999 * double(counts.flow_settles))
      << counts.same << " of " << counts.flow_settles;
  EXPECT_GE(counts.flow_moves, 40u) << "too few to say anything";
  EXPECT_EQ(counts.invented, 0u) << "of " << counts.flow_moves;
}

// Newton's method finds saddles and the centres of cycles unless it checks attraction; the counts above would
// notice. If it checks, it finds other equilibria that attract.
TEST(NetworkEquilibrium, NewtonDoesNotFollowTheFlowOfStrongNetworks) {
  const Fidelity counts = fidelity_of({.solver = Newton{}, .confirm = false});
  EXPECT_GT(counts.invented, 20u) << "of " << counts.flow_moves;
  EXPECT_GT(counts.elsewhere, 100u) << "of " << counts.flow_settles;
  EXPECT_LT(fidelity_of({.solver = Newton{}}).invented, 5u);
}

// The shortcut is tried where the flow relaxes. It answers as the flow does, or leaves the problem unchanged.
TEST(Shortcut, FindsWhatTheFlowFindsOrLeavesNoTrace) {
  std::size_t taken = 0, left = 0;
  std::uint64_t seed = 0;
  for (const double strength : {0.8, 3.0, 10.0, 30.0}) {
    const NetworkOf<double> network =
        random_network<double>(from_text<Architecture>("6-60-3"), ++seed, strength);
    const SampleTable<double> samples = random_samples<double>(6, 200, seed);
    const auto with = settle_with<double>(RosenbrockKrylov{}, network, samples);
    const auto without = settle_with<double>(RosenbrockKrylov{.shortcut = 0}, network, samples);
    for (std::size_t s = 0; s < samples.size(); ++s) {
      ASSERT_EQ(with.verdicts[s].outcome, without.verdicts[s].outcome) << strength << " sample " << s;
      const double distance = (as_vector(with.state(s)) - as_vector(without.state(s))).cwiseAbs().maxCoeff();
      distance == 0 ? ++left : ++taken;
      EXPECT_LE(distance, 1e-6) << strength << " sample " << s;
      if (distance > 0) {
        EXPECT_LT(with.verdicts[s].evaluations, without.verdicts[s].evaluations) << strength;
      }
    }
  }
  EXPECT_GE(taken, 200u) << "too few to say anything";
  EXPECT_GE(left, 200u) << "too few to say anything";
}

TEST(Targets, EveryOneAgreesWithTheBestToRounding) {
  std::uint64_t seed = 500;
  for (const Architecture& architecture : odd_architectures()) {
    const NetworkOf<double> network = random_network<double>(architecture, ++seed, 0.8);
    const SampleTable<double> samples = random_samples<double>(architecture.inputs(), 20);
    const Equilibria<double> best = settle_with<double>(Auto{}, network, samples, 1e-13);
    kernels::for_each_target([&](const char* target) {
      const Equilibria<double> found = settle_with<double>(Auto{}, network, samples, 1e-13);
      for (std::size_t k = 0; k < best.states.size(); ++k)
        ASSERT_NEAR(found.states[k], best.states[k], 2e-12) << target << " " << to_text(architecture);
    });
  }
}

// In a certified network, samples that the first solver leaves unsettled (here NaN) are tried again by the
// second, which takes a different number of samples side by side. The others' answers do not depend on this,
// in a batch of any size.
TEST(Certified, TheSecondTryTakesBatchesOfEverySize) {
  ThreadPool threads(1);
  for (const char* text : {"3-4tanh-2/none+1:1", "3-30tanh-2/none+1:1"}) {
    const Architecture architecture = from_text<Architecture>(text);
    const NetworkOf<float> network = random_network<float>(architecture, 7, 0.1);
    ASSERT_TRUE(is_certified(network));
    for (std::size_t count = 1; count <= 40; ++count) {
      std::vector<float> inputs = random_numbers<float>(3 * count, 5);
      const SampleTable<float> good(3, 0, inputs, {});
      inputs[3 * (count / 2)] = std::numeric_limits<float>::quiet_NaN();
      CpuSettler<float> settler(network, {.certified = true}, threads);
      const Equilibria<float> expected = settler.settle(good),
                              found = settler.settle(UncheckedSamples<float>(3, inputs));
      for (std::size_t s = 0; s < count; ++s) {
        EXPECT_EQ(found.verdicts[s].outcome, s == count / 2 ? Outcome::not_finite : Outcome::settled);
        if (s != count / 2) {
          EXPECT_TRUE(std::ranges::equal(found.state(s), expected.state(s)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace irn
