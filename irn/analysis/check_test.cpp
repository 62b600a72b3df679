#include "irn/analysis/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "irn/analysis/sensitivity.h"
#include "irn/base/error.h"
#include "irn/data/sample_table.h"
#include "tests/support/full_samples.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

template <class T>
SampleTable<T> table(std::size_t inputs, std::size_t samples, std::uint64_t seed) {
  return SampleTable<T>(inputs, 0, random_numbers<T>(inputs * samples, seed), {});
}

// Every number of the cheap part equals that of the function made for it.
TEST(Check, SaysOfEverySampleWhatTheSingleFunctionsSay) {
  const NetworkOf<double> network = random_network<double>(from_text<Architecture>("3-6tanh-2"), 5, 2);
  const SampleTable<double> samples = table<double>(3, 40, 1);
  ThreadPool threads(2);
  const Check found = check(network, samples, {}, threads);
  ASSERT_EQ(found.samples.size(), 40u);
  const PlainNetwork plain(network);
  std::size_t settled = 0;
  for (std::size_t s = 0; s < 40; ++s) {
    const SampleCheck& sample = found.samples[s];
    if (!sample.answered()) continue;
    ++settled;
    ASSERT_TRUE(sample.state);
    const auto x = samples.input_row(s);
    const Eigen::VectorXd z = plain.flow_limit(as_vector<double>(x));
    const std::span<const double> state(z.data(), 8);
    EXPECT_NEAR(sample.state->stability.abscissa(), stability<double>(network, x, state).abscissa(), 1e-5);
    EXPECT_NEAR(sample.state->singular, smallest_singular<double>(network, x, state).value, 1e-5);
    const Sensitivity slopes = sensitivity<double>(network, x, state);
    EXPECT_NEAR(sample.state->sensitivity, slopes.norm, 1e-4);
    EXPECT_NEAR(sample.state->amplification, slopes.amplification, 1e-4);
    EXPECT_EQ(sample.state->stability.eigenvalues.size(), 6u);
    EXPECT_EQ(sample.state->distance, sample.state->stability.distance(sample.verdict.residual));
  }
  EXPECT_GE(settled, 30u);
  EXPECT_EQ(found.summary.outcomes.settled(), settled);
  EXPECT_EQ(found.summary.singular.samples, found.summary.abscissa.samples);
  EXPECT_LE(found.summary.singular.least, found.summary.singular.median);
  EXPECT_LE(found.summary.singular.median, found.summary.singular.largest);
}

// The estimated distance to the limit is the distance to it.
TEST(Check, TheDistanceToTheLimitIsAboutRight) {
  const NetworkOf<double> network(from_text<Architecture>("1-1identity"), {1, 0.9, 0});  // z = 10 x
  const SampleTable<double> samples(1, 0, {1, 2, 3}, {});
  ThreadPool threads(1);
  // Plain iteration stops when its residual is within tolerance, ten times as far from the limit.
  const Check found =
      check(network, samples, {.settle = {.solver = FixedPoint{}, .tolerance = 1e-3}}, threads);
  for (std::size_t s = 0; s < 3; ++s) {
    ASSERT_TRUE(found.samples[s].state);
    EXPECT_NEAR(found.samples[s].state->distance, 10 * found.samples[s].verdict.residual, 1e-9);
    EXPECT_GT(found.samples[s].state->distance, 0);
  }
}

TEST(Check, WhatHasNoEquilibriumHasNoState) {
  // z = z + 1: runs away.
  const NetworkOf<float> network(from_text<Architecture>("1-1identity"), {1, 1, 1});
  ThreadPool threads(1);
  const Check found = check(network, table<float>(1, 5, 3), {}, threads);
  for (const SampleCheck& sample : found.samples) {
    EXPECT_FALSE(sample.answered());
    EXPECT_FALSE(sample.state);
  }
  EXPECT_EQ(found.summary.abscissa.samples, 0u);
}

TEST(Check, TheSameBitsOnAnyNumberOfThreads) {
  const NetworkOf<float> network = random_network<float>(from_text<Architecture>("4-9tanh-2"), 2, 3);
  const SampleTable<float> samples = table<float>(4, 300, 1);
  ThreadPool one(1), three(3);
  const Check a = check(network, samples, {}, one), b = check(network, samples, {}, three);
  for (std::size_t s = 0; s < 300; ++s) {
    ASSERT_EQ(a.samples[s].state.has_value(), b.samples[s].state.has_value());
    if (!a.samples[s].state) continue;
    EXPECT_EQ(a.samples[s].state->stability.eigenvalues, b.samples[s].state->stability.eigenvalues);
    EXPECT_EQ(a.samples[s].state->singular, b.samples[s].state->singular);
    EXPECT_EQ(a.samples[s].state->sensitivity, b.samples[s].state->sensitivity);
  }
  const std::vector<std::uint64_t> index = worst_samples(a, 3);
  const auto la = look_closer(network, samples, index, {.search = {.starts = 16}}, one);
  const auto lb = look_closer(network, samples, index, {.search = {.starts = 16}}, three);
  for (std::size_t k = 0; k < index.size(); ++k) {
    ASSERT_EQ(la[k].equilibria->equilibria.size(), lb[k].equilibria->equilibria.size());
    for (std::size_t e = 0; e < la[k].equilibria->equilibria.size(); ++e)
      EXPECT_EQ(la[k].equilibria->equilibria[e].state, lb[k].equilibria->equilibria[e].state);
    ASSERT_EQ(la[k].fold && la[k].fold->fold, lb[k].fold && lb[k].fold->fold);
    if (la[k].fold && la[k].fold->fold) {
      EXPECT_EQ(la[k].fold->fold->distance, lb[k].fold->fold->distance);
    }
  }
}

TEST(Check, ACloserLookFindsTheOtherEquilibriaAndTheFold) {
  // tanh(2 z + x), three equilibria near x = 0, folds at +- 0.533.
  const NetworkOf<float> network(from_text<Architecture>("1-1tanh"), {1, 2, 0});
  const SampleTable<float> samples(1, 0, {0.1f, 3}, {});
  ThreadPool threads(1);
  const Check found = check(network, samples, {}, threads);
  EXPECT_EQ(worst_samples(found, 1), std::vector<std::uint64_t>{0});
  const std::vector<std::uint64_t> both = {0, 1};
  const std::vector<CloserLook> looks = look_closer<float>(network, samples, both, {}, threads);
  EXPECT_EQ(looks[0].equilibria->equilibria.size(), 3u);
  EXPECT_EQ(looks[1].equilibria->equilibria.size(), 1u);
  const double s = std::sqrt(0.5);
  ASSERT_TRUE(looks[0].fold->fold);
  EXPECT_NEAR(looks[0].fold->fold->distance, double(0.1f) + 2 * s - std::atanh(s), 1e-6);
  ASSERT_TRUE(looks[0].equilibria->edge);
  EXPECT_GT(looks[0].equilibria->edge->from_path, 0.05);
}

TEST(Check, WideNetworksAreCheckedByProducts) {
  const NetworkOf<float> network =
      random_network<float>(from_text<Architecture>("4-300tanh-2identity"), 2, 0.9);
  ThreadPool threads(1);
  const SampleTable<float> samples = table<float>(4, 2, 1);
  const Check found = check(network, samples, {}, threads);
  for (const SampleCheck& sample : found.samples) {
    ASSERT_TRUE(sample.state);
    EXPECT_TRUE(sample.state->stability.attracts());
    EXPECT_TRUE(std::isnan(sample.state->singular));
  }
  const std::vector<std::uint64_t> first = {0};
  EXPECT_THROW(look_closer<float>(network, samples, first, {}, threads), Error);
}

TEST(Check, SamplesThatChangeTheNetworkAreRefused) {
  const FullSamples gated;
  ThreadPool threads(1);
  const auto network = random_network<float>(from_text<Architecture>("4-3tanh-2identity"), 1, 1);
  EXPECT_THAT(refusal([&] { check(network, gated, {}, threads); }), ::testing::HasSubstr("by gates"));
  const std::vector<std::uint64_t> first = {0};
  EXPECT_THAT(refusal([&] { look_closer(network, gated, first, {}, threads); }),
              ::testing::HasSubstr("by gates"));
}

TEST(Check, SamplesThatDoNotFitAreRefused) {
  const NetworkOf<float> network(from_text<Architecture>("1-1tanh"), {1, 2, 0});
  ThreadPool threads(1);
  EXPECT_THROW(check(network, table<float>(2, 3, 1), {}, threads), Error);
  const std::vector<std::uint64_t> beyond = {7};
  EXPECT_THROW(look_closer<float>(network, table<float>(1, 3, 1), beyond, {}, threads), Error);
}

}  // namespace
}  // namespace irn
