#include "irn/train/heads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "irn/data/sample_table.h"
#include "irn/train/evaluate.h"
#include "irn/train/score.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Architecture three_layers() { return from_text<Architecture>("2-3tanh-4tanh-2identity/lateral"); }

// A class on the hidden layer of three, two of the four numbers of the next layer, and the last layer.
std::vector<Head> three_heads() {
  return {{.layer = 3, .loss = HuberLoss{.delta = 0.5}, .weight = 0.25},
          {.layer = 1, .loss = CrossEntropy{}, .weight = 2},
          {.layer = 2, .loss = SquaredLoss{}, .targets = 2}};
}

TEST(Heads, OneOnTheLastLayerIsTheLossOfTheOutputs) {
  const Heads heads(three_layers(), std::vector<Head>(1));
  const std::vector<float> state = random_numbers<float>(9, 1);
  for (const std::size_t targets : {1u, 2u}) {
    const std::vector<float> t = random_numbers<float>(targets, 2);
    std::array<float, 2> slopes, plain;
    heads.check_targets(targets);
    EXPECT_EQ(heads.loss_and_slopes<float>(state, t, slopes),
              loss_and_slopes<float>(SquaredLoss{}, std::span(state).subspan(7), t, plain));
    EXPECT_EQ(slopes, plain);
  }
}

TEST(Heads, SlopesOfTheirSumAgreeWithFiniteDifferences) {
  const Heads heads(three_layers(), three_heads());
  EXPECT_EQ(heads.layers(), (std::vector<std::size_t>{3, 1, 2}));
  ASSERT_EQ(heads.neurons(), 9u);
  heads.check_targets(2 + 3 + 2);
  const std::vector<double> at = random_numbers<double>(9, 3), t = {0.3, 1.4, 0, 1, 0, -0.2, 0.6};
  std::vector<double> slopes(9), ignored(9);
  const double there = heads.loss_and_slopes<double>(at, t, slopes);
  const double by_hand =
      0.25 *
          loss_and_slopes<double>(HuberLoss{.delta = 0.5}, std::span(at).last(2), std::span(t).first(2), {}) +
      2 * loss_and_slopes<double>(CrossEntropy{}, std::span(at).first(3), std::span(t).subspan(2, 3), {}) +
      loss_and_slopes<double>(SquaredLoss{}, std::span(at).subspan(3, 4), std::span(t).last(2), {});
  EXPECT_DOUBLE_EQ(there, by_hand);
  const std::array<std::size_t, 9> neuron_of_slope = {7, 8, 0, 1, 2, 3, 4, 5, 6};
  for (std::size_t k = 0; k < 9; ++k) {
    constexpr double h = 1e-5;
    std::vector<double> up = at, down = at;
    up[neuron_of_slope[k]] += h, down[neuron_of_slope[k]] -= h;
    EXPECT_NEAR(
        slopes[k],
        (heads.loss_and_slopes<double>(up, t, ignored) - heads.loss_and_slopes<double>(down, t, ignored)) /
            (2 * h),
        1e-8)
        << k;
  }
}

TEST(Heads, WhatMakesNoSenseIsRefused) {
  const auto refused = [](const std::vector<Head>& heads) {
    return refusal([&] { Heads(three_layers(), heads); });
  };
  EXPECT_THAT(refused({}), HasSubstr("at least one head"));
  EXPECT_THAT(refused({{.layer = 4}}), AllOf(HasSubstr("layer 4"), HasSubstr("has 3")));
  EXPECT_THAT(refused({{.layer = 3}, {}}), HasSubstr("two heads on layer 3"));
  EXPECT_THAT(refused({{.layer = 2, .targets = 5}}), AllOf(HasSubstr("5 targets"), HasSubstr("4 outputs")));
  for (const double weight : {-1.0, HUGE_VAL, std::nan("")})
    EXPECT_THAT(refused({{.weight = weight}}), HasSubstr("zero or more"));
  EXPECT_THAT(refused({{.loss = HuberLoss{.delta = 0}}}), HasSubstr("delta"));
  const Heads heads(three_layers(), three_heads());
  EXPECT_THAT(refusal([&] { heads.check_targets(6); }), AllOf(HasSubstr("6 targets"), HasSubstr("take 7")));
}

// Inputs, and targets for three_heads().
SampleTable<double> samples(std::size_t count) {
  std::vector<double> x = random_numbers<double>(2 * count, 7), t = random_numbers<double>(7 * count, 8);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 3; ++k) t[7 * i + 2 + k] = i % 3 == k;
  return {2, 7, std::move(x), std::move(t)};
}

TEST(Evaluate, JudgesEveryHead) {
  const NetworkOf<double> network = random_network<double>(three_layers(), 5, 0.5);
  const SampleTable<double> table = samples(300);
  ThreadPool threads(2);
  Settler<double> settler(network, {}, threads);
  const Evaluation found = evaluate(settler, table, three_heads());
  const Equilibria<double> states = settler.settle(table);
  const Heads heads(three_layers(), three_heads());
  ASSERT_EQ(found.heads.size(), 3u);
  double sum = 0;
  for (std::size_t h = 0; h < 3; ++h) {
    Score score(heads[h].loss, heads[h].targets);
    for (std::size_t s = 0; s < table.size(); ++s)
      if (states.settled(s))
        score.add(heads.outputs(h, states.state(s)), heads.targets(h, table.target_row(s)));
    EXPECT_NEAR(found.heads[h].loss, score.loss(), 1e-12) << h;
    EXPECT_NEAR(found.heads[h].score, score.value(), 1e-12) << h;
    sum += heads[h].weight * score.loss();
  }
  EXPECT_NEAR(found.loss, sum, 1e-12);
  EXPECT_EQ(found.score, found.heads[0].score);
}

}  // namespace
}  // namespace irn
