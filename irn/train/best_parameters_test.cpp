#include "irn/train/best_parameters.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "irn/data/logic_gates.h"

namespace irn {
namespace {

NetworkOf<double> small_network(double value) {
  Architecture architecture = from_text<Architecture>("2-2");
  const std::size_t count = architecture.parameters();
  return {std::move(architecture), std::vector<double>(count, value)};
}

StepReport report(double loss, double settled, double samples = 100) {
  return {.loss = loss, .weight = samples, .counted_weight = settled};
}

TEST(BestParameters, KeepsTheLowestLoss) {
  BestParameters<double> best;
  EXPECT_TRUE(best.consider(small_network(1), report(0.5, 100)));
  EXPECT_TRUE(best.consider(small_network(2), report(0.1, 100)));
  EXPECT_FALSE(best.consider(small_network(3), report(0.3, 100)));
  NetworkOf<double> network = small_network(9);
  best.put_into(network);
  EXPECT_EQ(network.parameters()[0], 2);
  EXPECT_DOUBLE_EQ(best.cost(), 0.1);
}

TEST(BestParameters, AnUnsettledSampleCostsMoreThanAWrongOne) {
  BestParameters<double> best;
  best.consider(small_network(1), report(1.0, 100));
  best.consider(small_network(2), report(0.2, 100));
  EXPECT_FALSE(best.consider(small_network(3), report(0.01, 50))) << "half the answers are missing";
  EXPECT_FALSE(best.consider(small_network(3), report(0.01, 95))) << "five could be wrong for the price";
  EXPECT_TRUE(best.consider(small_network(4), report(0.01, 99)))
      << "one missing answer does not outweigh this";
}

// A caller's own loss may be negative.
TEST(BestParameters, AnUnsettledSampleNeverPaysHoweverNegativeTheLoss) {
  for (const double first : {-4.0, -0.1, 0.0, 0.1}) {
    BestParameters<double> best;
    EXPECT_TRUE(best.consider(small_network(1), report(first, 100)));
    EXPECT_FALSE(best.consider(small_network(2), report(first, 50))) << first;
    EXPECT_TRUE(best.consider(small_network(3), report(first - 1, 100)));
    EXPECT_FALSE(best.consider(small_network(4), report(first - 1, 99))) << first;
    EXPECT_FALSE(best.consider(small_network(5), report(first + 100, 1))) << first;
    EXPECT_TRUE(best.consider(small_network(6), report(first - 3, 99))) << "more than it lost";
  }
}

TEST(BestParameters, NothingSettledIsNothingToCompare) {
  BestParameters<double> best;
  EXPECT_FALSE(best.consider(small_network(1), report(std::numeric_limits<double>::quiet_NaN(), 0)));
  EXPECT_TRUE(best.empty());
  NetworkOf<double> network = small_network(9);
  best.put_into(network);
  EXPECT_EQ(network.parameters()[0], 9);
}

TEST(DefaultTraining, EndsWithXorSolvedWhereThePlainOneMayHaveFallenOff) {
  ThreadPool threads(1);
  const SampleTable<double> gate = logic_gate<double>(truth_table("XOR"));
  const std::vector<std::uint64_t> all = {0, 1, 2, 3};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    NetworkOf<double> network(from_text<Architecture>("2-2"), Start::paper, seed);
    Trainer<double> trainer(network, default_training(), threads);
    BestParameters<double> best;
    for (int k = 0; k < 2000; ++k) {
      StepReport seen = trainer.look(gate, all);
      best.consider(network, seen);
      trainer.apply(seen);
    }
    best.put_into(network);
    Settler<double> settler(network, {}, threads);
    const Evaluation evaluation = evaluate(settler, gate);
    EXPECT_EQ(evaluation.summary.count[0], 4u);
    EXPECT_LT(evaluation.loss, 0.01) << "seed " << seed;
    EXPECT_NEAR(evaluation.loss, best.cost(), 1e-12);
  }
}

TEST(Trainer, AStepIsALookAndAnApply) {
  ThreadPool threads(1);
  const SampleTable<double> gate = logic_gate<double>(truth_table("XOR"));
  const std::vector<std::uint64_t> all = {0, 1, 2, 3};
  NetworkOf<double> one(from_text<Architecture>("2-2"), Start::paper, 7), two = one;
  Trainer<double> whole(one, {}, threads), halves(two, {}, threads);
  for (int k = 0; k < 50; ++k) {
    const StepReport a = whole.step(gate, all);
    StepReport b = halves.look(gate, all);
    halves.apply(b);
    EXPECT_EQ(a.loss, b.loss);
    EXPECT_EQ(a.applied, b.applied);
  }
  EXPECT_TRUE(std::equal(one.parameters().begin(), one.parameters().end(), two.parameters().begin()));
}

}  // namespace
}  // namespace irn
