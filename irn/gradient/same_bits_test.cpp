// Gradients do not depend on the number of threads or on memory of earlier batches, nor, beyond rounding, on
// the processor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "irn/base/options_text.h"
#include "irn/kernels/targets_testing-inl.h"
#include "tests/support/architectures.h"
#include "tests/support/batch_gradient.h"

namespace irn {
namespace {

template <class T>
void expect_same(const GradientResult<T>& a, const GradientResult<T>& b, const std::string& what) {
  EXPECT_EQ(a.parameters, b.parameters) << what;
  EXPECT_EQ(a.inputs, b.inputs) << what;
  EXPECT_EQ(a.outcomes, b.outcomes) << what;
  EXPECT_EQ(a.amplification, b.amplification) << what;
  EXPECT_EQ(a.used, b.used) << what;
}

template <class T>
void expect_same_on_any_threads(const LossCase& c, const Gradient& gradient) {
  const GradientOptions options{.gradient = gradient, .input_gradient = true};
  const GradientResult<T> one = batch_gradient<T>(c, options, 1);
  for (const std::size_t threads : {2u, 3u})
    expect_same(one, batch_gradient<T>(c, options, threads),
                to_text(gradient) + " on " + to_text(c.network.architecture()));
}

TEST(SameGradient, OnAnyNumberOfThreads) {
  for (const char* text : {"3-5-2", "3-60tanh-2", "3-5-2/none"}) {
    const LossCase c(from_text<Architecture>(text), 5, 3, 100);
    for (const std::string_view name : names<Gradient>()) {
      expect_same_on_any_threads<float>(c, from_text<Gradient>(name));
      expect_same_on_any_threads<double>(c, from_text<Gradient>(name));
    }
  }
}

// The gradient of a batch is the mean of the gradients of its samples, whose input gradients are their own.
TEST(SameGradient, OfABatchIsTheMeanOfItsSamples) {
  for (const std::string_view name : names<Gradient>()) {
    const LossCase c(from_text<Architecture>("3-5-2tanh"), 5, 0.8, 37);
    const GradientOptions options{.gradient = from_text<Gradient>(name), .input_gradient = true};
    const GradientResult<double> batch = batch_gradient<double>(c, options);
    std::vector<double> mean(batch.parameters.size(), 0.0), inputs;
    for (std::size_t s = 0; s < 37; ++s) {
      LossCase single = c;
      single.inputs = {c.inputs[s]}, single.slopes = {c.slopes[s]};
      const GradientResult<double> alone = batch_gradient<double>(single, options);
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += alone.parameters[k] / 37;
      inputs.insert(inputs.end(), alone.inputs.begin(), alone.inputs.end());
    }
    EXPECT_LE(relative_error(batch.parameters, mean), 1e-14) << name;
    EXPECT_EQ(batch.inputs, inputs) << name;
  }
}

// Memory is kept between batches of different sizes; nothing of an earlier batch may show.
TEST(SameGradient, WhateverBatchCameBefore) {
  for (const char* text :
       {"3-5-2", "3-20-2"}) {  // the second is small enough and large enough to keep factors
    const LossCase c(from_text<Architecture>(text), 5, 0.8, 50);
    const SampleTable<double> samples(3, 0, LossCase::flat<double>(c.inputs), {});
    const std::vector<double> slopes = LossCase::flat<double>(c.slopes);
    const std::span<const double> some(slopes.data(), 4);
    for (const std::string_view name : names<Gradient>()) {
      ThreadPool threads(2);
      const GradientOptions options{.gradient = from_text<Gradient>(name), .input_gradient = true};
      CpuGradient<double> fresh(c.network, options, threads), used(c.network, options, threads);
      std::vector<std::uint64_t> all(50), few = {3, 4}, others = {7, 1};
      std::iota(all.begin(), all.end(), std::uint64_t{0});
      Forward<double> forward;
      GradientResult<double> result;
      used.forward(samples, others, forward);
      used.backward(forward, some, result);
      used.forward(samples, all, forward);
      used.backward(forward, slopes, result);
      used.forward(samples, {}, forward);
      EXPECT_EQ(used.backward(forward, {}).used, 0u);
      used.forward(samples, others, forward);
      used.forward(samples, few, forward);
      used.backward(forward, some, result);
      expect_same(fresh.backward(fresh.forward(samples, few), some), result, std::string(name));
    }
  }
}

TEST(SameGradient, FollowsTheParametersWhenTheyChange) {
  LossCase c(from_text<Architecture>("3-20-2"), 5, 0.8, 2);
  const SampleTable<double> samples(3, 0, LossCase::flat<double>(c.inputs), {});
  std::vector<std::uint64_t> all(2);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  for (const std::string_view name : names<Gradient>()) {
    ThreadPool threads(1);
    const GradientOptions options{.gradient = from_text<Gradient>(name), .input_gradient = true};
    CpuGradient<double> batch(c.network, options, threads);
    batch.forward(samples, all);  // with the old parameters
    for (double& v : c.network.parameters()) v *= -0.9;
    batch.update(c.network);
    const Forward<double> forward = batch.forward(samples, all);
    expect_same(batch.backward(forward, LossCase::flat<double>(c.slopes)), batch_gradient<double>(c, options),
                std::string(name));
  }
}

TEST(SameGradient, EveryTargetAgreesWithTheBestToRounding) {
  std::uint64_t seed = 1300;
  for (const Architecture& architecture : odd_architectures()) {
    const LossCase c(architecture, ++seed, 0.8, 19);
    for (const std::string_view name : names<Gradient>()) {
      const GradientOptions options = tight(from_text<Gradient>(name));
      const GradientResult<double> best = batch_gradient<double>(c, options);
      kernels::for_each_target([&](const char* target) {
        const GradientResult<double> given = batch_gradient<double>(c, options);
        EXPECT_LE(relative_error(given.parameters, best.parameters), 1e-11)
            << target << " " << name << " " << to_text(architecture);
        EXPECT_LE(relative_error(given.inputs, best.inputs), 1e-11)
            << target << " " << name << " " << to_text(architecture);
      });
    }
  }
}

}  // namespace
}  // namespace irn
