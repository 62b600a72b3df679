#include "irn/train/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "irn/data/sample_table.h"
#include "irn/train/score.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

// Blocks and parts of any size on any number of threads give the same sums, equal to those of a plain loop.
TEST(Evaluate, IsThePlainSumWithTheSameBitsOnAnyNumberOfThreads) {
  const NetworkOf<float> network = random_network<float>(from_text<Architecture>("3-4tanh-2identity"), 3, 3);
  constexpr std::size_t rows = 9001;
  std::vector<float> x = random_numbers<float>(3 * rows, 9), t;
  for (std::size_t i = 0; i < rows; ++i) t.insert(t.end(), {x[3 * i] + x[3 * i + 1], 100 - x[3 * i + 2]});
  const SampleTable<float> samples(3, 2, std::move(x), std::move(t));
  ThreadPool one(1);
  Settler<float> settler(network, {.solver = FixedPoint{.damping = 1, .steps = 50}}, one);
  const Equilibria<float> states = settler.settle(samples);
  double sum = 0, settled = 0;
  Score score(SquaredLoss{}, 2);
  for (std::size_t s = 0; s < rows; ++s) {
    const auto y = states.state(s).subspan(4), target = samples.target_row(s);
    if (!states.settled(s)) score.add_unanswered(target);
    if (!states.settled(s)) continue;
    for (std::size_t k = 0; k < 2; ++k) sum += std::pow(double(y[k]) - double(target[k]), 2) / 2;
    score.add(y, target);
    ++settled;
  }
  ASSERT_GT(settled, 100) << "too few to say anything";
  ASSERT_LT(settled, rows) << "all settle: nothing is left out";
  const Evaluation whole = evaluate(settler, samples);
  EXPECT_NEAR(whole.loss, sum / settled, 1e-9 * sum / settled);
  EXPECT_NEAR(whole.score, score.value(), 1e-9);
  EXPECT_EQ(whole.summary.samples, rows);
  EXPECT_EQ(double(whole.summary.count[0]), settled);
  EXPECT_EQ(whole.summary.mean_evaluations, states.summary().mean_evaluations);
  for (const std::size_t threads : {2u, 3u, 8u}) {
    ThreadPool pool(threads);
    Settler<float> other(network, {.solver = FixedPoint{.damping = 1, .steps = 50}}, pool);
    const Evaluation given = evaluate(other, samples);
    EXPECT_EQ(given.loss, whole.loss) << threads;
    EXPECT_EQ(given.score, whole.score) << threads;
    EXPECT_EQ(given.summary.count, whole.summary.count) << threads;
    EXPECT_EQ(given.summary.mean_evaluations, whole.summary.mean_evaluations) << threads;
  }
}

TEST(SettleOutputs, AreTheLastNeuronsOfTheStatesOnAnyNumberOfThreads) {
  const NetworkOf<float> network = random_network<float>(from_text<Architecture>("3-4tanh-2identity"), 3, 3);
  const SampleTable<float> samples(3, 0, random_numbers<float>(3 * 5003, 9), {});
  for (const std::size_t threads : {1u, 3u}) {
    ThreadPool pool(threads);
    Settler<float> settler(network, {.solver = FixedPoint{.damping = 1, .steps = 50}}, pool);
    const Equilibria<float> states = settler.settle(samples), outputs = settle_outputs(settler, samples);
    ASSERT_EQ(outputs.size(), states.size());
    std::size_t unsettled = 0;
    for (std::size_t s = 0; s < states.size(); ++s) {
      EXPECT_TRUE(std::ranges::equal(outputs.state(s), states.state(s).last(2))) << s;
      EXPECT_EQ(outputs.verdicts[s].outcome, states.verdicts[s].outcome) << s;
      EXPECT_EQ(outputs.verdicts[s].residual, states.verdicts[s].residual) << s;
      unsettled += !outputs.settled(s);
    }
    EXPECT_GT(unsettled, 0u) << "verdicts of all kinds, or the test shows less";
  }
}

TEST(Evaluate, RefusesTargetsThatHaveNoOutputs) {
  ThreadPool one(1);
  Settler<float> settler(NetworkOf<float>(from_text<Architecture>("1-2"), Start::paper, 1), {}, one);
  for (const std::size_t targets : {0u, 3u, 40u}) {
    const SampleTable<float> samples(1, targets, {1}, std::vector<float>(targets));
    EXPECT_THAT(refusal([&] { evaluate(settler, samples); }), ::testing::HasSubstr("outputs")) << targets;
    EXPECT_THAT(refusal([&] { evaluate(settler, samples, CrossEntropy{}); }),
                ::testing::HasSubstr("outputs"));
  }
}

}  // namespace
}  // namespace irn
