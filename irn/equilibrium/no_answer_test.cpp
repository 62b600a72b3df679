// Networks and samples that have no answer get none; those that only look so get theirs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "irn/kernels/targets_testing-inl.h"
#include "tests/support/settle_samples.h"
#include "tests/support/solvers.h"
#include "tests/support/unchecked_samples.h"

namespace irn {
namespace {

TEST(NoAnswer, ASweepThatOverflowsIsNotFinite) {
  const NetworkOf<float> network(from_text<Architecture>("1-1identity-1identity/none"), {1e30f, 1e30f, 0, 0});
  const Equilibria<float> found = settle_with<float>(Auto{}, network, SampleTable<float>(1, 0, {1, 0}, {}));
  EXPECT_EQ(found.verdicts[0].outcome, Outcome::not_finite);
  EXPECT_EQ(found.verdicts[1].outcome, Outcome::settled);
}

// Sigmoid, relu and softplus could make a number of NaN: 2 x overflows before -2 x takes it back.
template <class T>
void expect_no_answer_to_what_is_no_number(std::string_view activation, std::string_view recurrence) {
  const std::string f(activation), text = "2-2" + f + "-1" + f + std::string(recurrence);
  NetworkOf<T> network = random_network<T>(from_text<Architecture>(text), 3, 0.5);
  for (T& weight : network.parameters().first(4)) weight = 2;
  network.parameters()[1] = -2;
  constexpr T nothing = std::numeric_limits<T>::quiet_NaN(), huge = std::numeric_limits<T>::max();
  const UncheckedSamples<T> samples(
      2, {1, 1, nothing, 1, huge, huge, std::numeric_limits<T>::infinity(), 0, 2, 1});
  ThreadPool threads(1);
  for (const Solver& solver : all_solvers()) {
    SCOPED_TRACE(text + " " + to_text(solver));
    const Equilibria<T> found = CpuSettler<T>(network, {solver}, threads).settle(samples);
    for (const std::size_t s : {1u, 2u, 3u}) {
      EXPECT_EQ(found.verdicts[s].outcome, Outcome::not_finite) << "sample " << s;
      EXPECT_EQ(found.verdicts[s].residual, std::numeric_limits<double>::infinity()) << "sample " << s;
    }
    if (std::holds_alternative<Auto>(solver)) {
      EXPECT_TRUE(found.settled(0) && found.settled(4));
    }
  }
}

TEST(NoAnswer, WhatIsNoNumberHasNoAnswer) {
  kernels::for_each_target([](const char* target) {
    SCOPED_TRACE(target);
    for (const std::string_view activation : activation_names)
      for (const char* recurrence : {"", "/none"}) {
        expect_no_answer_to_what_is_no_number<float>(activation, recurrence);
        expect_no_answer_to_what_is_no_number<double>(activation, recurrence);
      }
  });
}

// The output feeds itself, y = y + c(x): it has no equilibrium, however small c is compared with y.
TEST(NoAnswer, AnOutputThatRunsAwayDoesNotSettle) {
  for (const char* text : {"3-60tanh-1identity/lateral", "3-6tanh-1identity/lateral"}) {
    NetworkOf<float> network(from_text<Architecture>(text), Start::scaled, 3);
    for (const Block& block : network.architecture().blocks())
      if (block.from == 2 && block.to == 2) network.parameters()[block.weights] = 1;
    const SampleTable<float> samples = random_samples<float>(3, 50);
    for (const Solver& solver : all_solvers()) {
      const Equilibria<float> found = settle_with(solver, network, samples);
      for (std::size_t s = 0; s < samples.size(); ++s)
        EXPECT_FALSE(found.settled(s)) << to_text(solver) << ": y = " << found.state(s).back()
                                       << ", residual " << found.verdicts[s].residual;
    }
  }
}

// Each neuron is measured by its own history: large residuals of other neurons do not excuse it.
TEST(NoAnswer, AnOutputThatCreepsAwayDoesNotSettleBesideNeuronsThatMoved) {
  NetworkOf<float> network(from_text<Architecture>("1-60tanh-1identity/lateral"), Start::scaled, 3);
  for (const Block& block : network.architecture().blocks())
    if (block.to == 2)
      for (std::size_t k = 0; k < block.rows * block.cols; ++k)
        network.parameters()[block.weights + k] = block.from == 2 ? 1.0f : 0.0f;
  network.parameters().back() = 5e-4f;
  for (const Solver& solver : all_solvers()) {
    const Equilibria<float> found = settle_with(solver, network, SampleTable<float>(1, 0, {3}, {}));
    EXPECT_FALSE(found.settled(0)) << to_text(solver) << ": y = " << found.state(0).back();
  }
}

// tanh(2 z + 9e-6) begins at rest, within tolerance, beside a repelling equilibrium; the flow goes to 0.9575.
TEST(NoAnswer, RestAtTheStartIsAskedWhetherItAttracts) {
  const NetworkOf<float> network(from_text<Architecture>("1-1tanh"), {0, 2, 9e-6f});
  const Equilibria<float> found = settle_with<float>(Auto{}, network, SampleTable<float>(1, 0, {1}, {}));
  EXPECT_TRUE(found.settled(0)) << name(found.verdicts[0].outcome);
  EXPECT_NEAR(found.state(0)[0], 0.9575f, 1e-4f);
}

// But an output that is large for a reason settles, to the accuracy of numbers of its size.
TEST(NoAnswer, ALargeOutputSettles) {
  for (const char* text : {"3-60tanh-1identity/lateral", "3-6tanh-1identity/lateral"}) {
    NetworkOf<float> network = random_network<float>(from_text<Architecture>(text), 3, 0.5);
    for (const Block& block : network.architecture().blocks())
      if (block.to == 2)
        for (std::size_t k = 0; k < block.rows * block.cols; ++k)
          network.parameters()[block.weights + k] = block.from == 2 ? 0.3f : 1e6f;
    const SampleTable<float> samples = random_samples<float>(3, 50);
    for (const char* solver : {"auto", "fixed-point", "anderson", "newton", "rk45", "pseudo-transient"})
      EXPECT_EQ(settle_with(from_text<Solver>(solver), network, samples).summary().settled_share(), 1)
          << text << " by " << solver;
  }
}

// Every eigenvalue of J is -3/7, which attracts; the powers of its Cayley transform grow far before they
// become exactly zero.
TEST(NoAnswer, AChainThatAmplifiesOnItsWayToRestSettles) {
  for (const std::size_t n : {12u, 24u}) {
    const std::string size = std::to_string(n);
    NetworkOf<double> network(from_text<Architecture>("1-" + size + "identity"),
                              std::vector<double>(n * n + 2 * n));
    for (const Block& block : network.architecture().blocks())
      for (std::size_t i = 0; i < n; ++i) {
        double* row = network.parameters().data() + block.weights + i * block.cols;
        if (block.from_input()) {
          row[0] = 1;
        } else {
          row[i] = -3.0 / 7;
          if (i > 0) row[i - 1] = 3;
        }
      }
    const SampleTable<double> samples(1, 0, {1.0}, {});
    EXPECT_TRUE(settle_with<double>(Rosenbrock{}, network, samples).settled(0)) << n;
  }
}

}  // namespace
}  // namespace irn
