#include "irn/analysis/gradient_comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "irn/base/error.h"
#include "irn/data/sample_table.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

template <class T>
SampleTable<T> table(std::size_t inputs, std::size_t targets, std::size_t samples, std::uint64_t seed) {
  return SampleTable<T>(inputs, targets, random_numbers<T>(inputs * samples, seed),
                        random_numbers<T>(targets * samples, seed + 1));
}
std::vector<std::uint64_t> first(std::size_t count) {
  std::vector<std::uint64_t> index(count);
  for (std::size_t k = 0; k < count; ++k) index[k] = k;
  return index;
}

TEST(GradientComparison, TheExactGradientIsWhatDifferencesShow) {
  for (const char* text : {"3-5tanh-2", "3-4relu-2identity", "2-6-3softplus-2/lateral"}) {
    const NetworkOf<float> network = random_network<float>(from_text<Architecture>(text), 3, 0.9);
    ThreadPool threads(1);
    const GradientComparison found = compare_gradients(
        network, table<float>(network.architecture().inputs(), 2, 8, 4), first(8), {}, threads);
    for (const GradientsOfSample& sample : found.samples) {
      ASSERT_EQ(sample.exact, GradientOutcome::used) << text;
      ASSERT_TRUE(sample.differences) << text;
      EXPECT_LE(*sample.differences, 1e-6) << text;
      EXPECT_GT(sample.norm, 0);
    }
    EXPECT_LE(found.largest_difference, 1e-6) << text;
    EXPECT_EQ(found.spreads.size(), 3u);
  }
}

// Too coarse differences are off by the square of their step: the comparison is able to fail.
TEST(GradientComparison, CoarseDifferencesAreOff) {
  const NetworkOf<double> network = random_network<double>(from_text<Architecture>("3-5tanh-2"), 3, 0.9);
  ThreadPool threads(1);
  const auto largest = [&](double step) {
    return compare_gradients(network, table<double>(3, 2, 4, 4), first(4), {.step = step}, threads)
        .largest_difference;
  };
  EXPECT_GT(largest(5e-3), 1000 * largest(1e-5));
}

// Without recurrence all gradients are the same; if the map contracts, long series and iterations approach
// the exact one.
TEST(GradientComparison, WhatIsTheSameHasNoAngle) {
  ThreadPool threads(2);
  const NetworkOf<double> without = random_network<double>(from_text<Architecture>("3-5tanh-2/none"), 3, 0.9);
  const GradientComparison all = compare_gradients(without, table<double>(3, 2, 5, 4), first(5), {}, threads);
  for (const GradientsOfSample& sample : all.samples)
    for (const ComparedGradient& other : sample.others) {
      EXPECT_NEAR(other.angle, 0, 1e-6);
      EXPECT_NEAR(other.length, 1, 1e-9);
    }
  const NetworkOf<double> network = random_network<double>(from_text<Architecture>("3-5tanh-2"), 3, 0.8);
  const GradientComparison found = compare_gradients(
      network, table<double>(3, 2, 5, 4), first(5),
      {.gradients = {SemiGradient{}, TruncatedGradient{200}, UnrolledGradient{200}}}, threads);
  for (const GradientsOfSample& sample : found.samples) {
    EXPECT_GT(sample.others[0].angle, 0.1);
    for (const std::size_t k : {1u, 2u}) {
      EXPECT_NEAR(sample.others[k].angle, 0, 1e-5);
      EXPECT_NEAR(sample.others[k].length, 1, 1e-7);
    }
  }
  EXPECT_EQ(found.spreads[0].samples, 5u);
  EXPECT_LE(found.spreads[0].median_angle, found.spreads[0].largest_angle);
}

// One neuron z = w z + x, y = z, L = (y - t)^2: dL/dw is 2 (y - t) z / (1 - w), and the semi-gradient leaves
// out 1 / (1 - w).
TEST(GradientComparison, OfALinearNeuronLengthAndAngleAreKnown) {
  const NetworkOf<double> network(from_text<Architecture>("1-1identity"), {1, 0.75, 0});
  ThreadPool threads(1);
  const SampleTable<double> samples(1, 1, {1, -2}, {0, 3});
  const GradientComparison found = compare_gradients(
      network, samples, first(2), {.gradients = {SemiGradient{}, TruncatedGradient{1}}}, threads);
  for (const GradientsOfSample& sample : found.samples) {
    EXPECT_NEAR(sample.amplification, 4, 1e-9);
    for (const ComparedGradient& other : sample.others) {
      EXPECT_NEAR(other.length, 0.25, 1e-9);
      EXPECT_NEAR(other.angle, 0, 1e-6);
    }
  }
}

TEST(GradientComparison, WhatDoesNotSettleIsNotCompared) {
  const NetworkOf<float> network(from_text<Architecture>("1-1identity"), {1, 1, 1});
  ThreadPool threads(1);
  const GradientComparison found =
      compare_gradients(network, table<float>(1, 1, 2, 1), first(2), {}, threads);
  for (const GradientsOfSample& sample : found.samples) {
    EXPECT_FALSE(is_used(sample.exact));
    EXPECT_FALSE(sample.differences);
  }
  EXPECT_EQ(found.spreads[0].samples, 0u);
}

TEST(GradientComparison, TheSameBitsOnAnyNumberOfThreads) {
  const NetworkOf<float> network = random_network<float>(from_text<Architecture>("3-6tanh-2"), 1, 2);
  const SampleTable<float> samples = table<float>(3, 2, 30, 1);
  ThreadPool one(1), three(3);
  const GradientComparison a = compare_gradients(network, samples, first(30), {}, one),
                           b = compare_gradients(network, samples, first(30), {}, three);
  for (std::size_t s = 0; s < 30; ++s) {
    EXPECT_EQ(a.samples[s].norm, b.samples[s].norm);
    EXPECT_EQ(a.samples[s].others[0].angle, b.samples[s].others[0].angle);
    EXPECT_EQ(a.samples[s].differences, b.samples[s].differences);
  }
}

TEST(GradientComparison, SamplesWithoutTargetsAreRefused) {
  const NetworkOf<float> network(from_text<Architecture>("1-1identity"), {1, 0.5f, 1});
  ThreadPool threads(1);
  EXPECT_THROW(compare_gradients(network, table<float>(1, 0, 2, 1), first(2), {}, threads), Error);
}

}  // namespace
}  // namespace irn
