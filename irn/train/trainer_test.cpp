#include "irn/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "irn/base/options_text.h"
#include "irn/data/sample_table.h"
#include "irn/train/class_weights.h"
#include "irn/train/evaluate.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using testing::HasSubstr;

constexpr std::size_t count = 6;

std::vector<std::uint64_t> first(std::size_t samples) {
  std::vector<std::uint64_t> index(samples);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  return index;
}

// Two inputs. Targets are numbers, except up to three from `classes` on, which are one class.
SampleTable<double> table(std::size_t targets, std::size_t classes, std::vector<double> weights = {}) {
  std::vector<double> t = random_numbers<double>(targets * count, 8);
  const std::size_t many = std::min<std::size_t>(3, targets - classes);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < many; ++k) t[targets * i + classes + k] = i % many == k;
  return {2, targets, random_numbers<double>(2 * count, 7), std::move(t), std::move(weights)};
}

NetworkOf<double> network() {
  return random_network<double>(from_text<Architecture>("2-3tanh-4tanh-2identity/lateral"), 5, 0.3);
}
constexpr SettleOptions exact{.tolerance = 1e-13};

TrainOptions descent(std::vector<Head> heads) {
  return {
      .gradient = {.settle = exact}, .optimiser = Sgd{.rate = 1, .momentum = 0}, .heads = std::move(heads)};
}

// A step of plain descent with rate 1 shows the gradient.
struct Step {
  StepReport report;
  std::vector<double> gradient;
};
Step step(const TrainOptions& options, const Samples<double>& samples) {
  ThreadPool threads(1);
  NetworkOf<double> trained = network();
  const std::vector<std::uint64_t> all = first(samples.size());
  Step result{Trainer<double>(trained, options, threads).step(samples, all), {}};
  const NetworkOf<double> before = network();
  for (std::size_t p = 0; p < before.parameters().size(); ++p)
    result.gradient.push_back(before.parameters()[p] - std::as_const(trained).parameters()[p]);
  return result;
}

void expect_equal(const Step& one, const Step& other) {
  EXPECT_NEAR(one.report.loss, other.report.loss, 1e-13);
  EXPECT_EQ(one.report.counted_weight, other.report.counted_weight);
  ASSERT_EQ(one.gradient.size(), other.gradient.size());
  for (std::size_t p = 0; p < one.gradient.size(); ++p)
    EXPECT_NEAR(one.gradient[p], other.gradient[p], 1e-12) << p;
}

void expect_descent(const std::vector<Head>& heads, const Samples<double>& samples) {
  ThreadPool threads(1);
  const auto loss = [&](std::size_t p, double by) {
    NetworkOf<double> other = network();
    other.parameters()[p] += by;
    Settler<double> settler(other, exact, threads);
    return evaluate(settler, samples, heads).loss;
  };
  const Step taken = step(descent(heads), samples);
  EXPECT_TRUE(taken.report.applied);
  EXPECT_NEAR(taken.report.loss, loss(0, 0), 1e-12);
  for (std::size_t p = 0; p < taken.gradient.size(); ++p) {
    constexpr double h = 1e-5;
    EXPECT_NEAR(taken.gradient[p], (loss(p, h) - loss(p, -h)) / (2 * h), 1e-7) << p;
  }
}

TEST(Trainer, DescendsEveryLoss) {
  for_each_choice<NamedLoss>([](const auto& loss) {
    SCOPED_TRACE(loss.name);
    expect_descent({{.loss = loss}}, table(2, of_classes(loss) ? 0 : 2));
  });
}

TEST(Trainer, DescendsAProgramsOwnLoss) {
  const CustomLoss loss{"cosh", [](auto y, auto t, auto slopes) {
                          double sum = 0;
                          for (std::size_t k = 0; k < t.size(); ++k) {
                            sum += std::cosh(y[k] - t[k]);
                            slopes[k] = std::sinh(y[k] - t[k]);
                          }
                          return sum;
                        }};
  expect_descent({{.loss = loss}}, table(2, 2));
}

TEST(Trainer, DescendsTheSumOfItsHeads) {
  const std::vector<Head> heads = {{.layer = 3, .loss = HuberLoss{.delta = 0.5}, .weight = 0.25},
                                   {.layer = 1, .loss = CrossEntropy{}, .weight = 2},
                                   {.layer = 2, .targets = 2}};
  expect_descent(heads, table(7, 2));
  expect_descent(heads, table(7, 2, {1, 2, 0, 0.5, 3, 1}));
  expect_descent({{.layer = 1, .loss = CrossEntropy{}}}, table(3, 0));
}

TEST(Trainer, DescendsTheWeightedMean) {
  expect_descent({{.weight = 0.5}}, table(2, 2, {1, 2, 0, 0.5, 3, 1}));
  expect_descent({{.weight = 0.5}}, table(2, 2, {4, 4, 4, 4, 4, 4}));
}

TEST(Trainer, AWeightOfTwoIsTheSampleTwiceAndOneOfNoneIsNoSample) {
  const SampleTable<double> samples = table(2, 2), weighted = table(2, 2, {1, 2, 0, 1, 1, 0});
  ThreadPool threads(1);
  const std::vector<std::uint64_t> twice = {0, 1, 1, 3, 4};
  NetworkOf<double> trained = network();
  Step plain{Trainer<double>(trained, descent({}), threads).step(samples, twice), {}};
  const NetworkOf<double> before = network();
  for (std::size_t p = 0; p < before.parameters().size(); ++p)
    plain.gradient.push_back(before.parameters()[p] - std::as_const(trained).parameters()[p]);
  const Step found = step(descent({}), weighted);
  expect_equal(found, plain);
  EXPECT_EQ(found.report.counted, 4u);
  EXPECT_EQ(found.report.used, 4u);
  EXPECT_EQ(found.report.weight, 5);
  Settler<double> settler(before, exact, threads);
  EXPECT_NEAR(evaluate(settler, weighted).loss, plain.report.loss, 1e-13);
  EXPECT_EQ(evaluate(settler, weighted).answered_weight, 5);
}

TEST(Trainer, EqualWeightsChangeNoBit) {
  const Step plain = step(descent({}), table(2, 2)), two = step(descent({}), table(2, 2, {2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(plain.gradient, two.gradient);
}

TEST(Trainer, LearnsNothingFromSamplesWithoutWeight) {
  const Step none = step(descent({}), table(2, 2, {0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(none.report.counted, 0u);
  EXPECT_EQ(none.report.used, 0u);
  EXPECT_TRUE(std::isnan(none.report.loss));
  EXPECT_FALSE(none.report.applied);
  EXPECT_EQ(none.gradient, std::vector<double>(none.gradient.size()));
}

// A program's own samples, with unchecked weights.
struct WronglyWeighted : SampleTable<double> {
  WronglyWeighted(const SampleTable<double>& samples, double wrong)
      : SampleTable<double>(samples), wrong_weight(wrong) {}
  void weights(std::span<const std::uint64_t> index, double* out) const override {
    for (std::size_t s = 0; s < index.size(); ++s) out[s] = index[s] == 4 ? wrong_weight : 1;
  }
  double wrong_weight;
};

TEST(Trainer, RefusesWeightsThatMakeNoSense) {
  ThreadPool threads(1);
  Settler<double> settler(network(), exact, threads);
  for (const double wrong : {-1.0, HUGE_VAL, std::nan("")}) {
    const WronglyWeighted samples(table(2, 2), wrong);
    EXPECT_THAT(refusal([&] { step(descent({}), samples); }), HasSubstr("weight of sample 4"));
    EXPECT_THAT(refusal([&] { evaluate(settler, samples); }), HasSubstr("weight of sample 4"));
  }
}

// Two neurons that excite each other without limit: no sample has an answer or a gradient, so the gradient
// never changes anything.
TEST(Trainer, ANetworkThatHasLostEverySampleIsPulledBack) {
  const Architecture architecture = from_text<Architecture>("1-2relu-1identity/none+1:1");
  std::vector<double> lost(architecture.parameters(), 1);
  const SampleTable<double> samples(1, 1, {0.5, 1, 2}, {0, 1, 0});
  const std::uint64_t index[] = {0, 1, 2};
  ThreadPool threads(1);
  NetworkOf<double> free(architecture, lost), pulled = free;
  Trainer<double> with(pulled, {.pull = 0.9}, threads), without(free, {}, threads);
  EXPECT_EQ(without.step(samples, index).settled, 0u);
  EXPECT_TRUE(std::equal(lost.begin(), lost.end(), free.parameters().begin()));
  EXPECT_EQ(with.step(samples, index).settled, 0u);
  EXPECT_EQ(with.step(samples, index).settled, 3u);
}

// z = tanh(0.95 z) has one equilibrium; with a gate of 2 it is tanh(1.9 z), which has three.
TEST(Trainer, ACertificateIsForGatesThatItCovers) {
  struct Gated : SampleTable<double> {
    explicit Gated(double all) : SampleTable(1, 1, {0}, {0}), gate(all) {}
    std::size_t gates() const override { return 1; }
    void gates_as_rows(std::span<const std::uint64_t> index, double* out) const override {
      std::fill_n(out, index.size(), gate);
    }
    double gate;
  };
  ThreadPool threads(1);
  NetworkOf<double> network(from_text<Architecture>("1-1tanh/lateral"), std::vector<double>{1, 0.4, 0});
  const std::vector<std::uint64_t> one = {0};
  const auto refused = [&](double gate, double dropout) {
    Trainer<double> trainer(network, {.certify = 0.95, .dropout = dropout}, threads);
    return refusal([&] { trainer.look(Gated(gate), one); });
  };
  EXPECT_EQ(refused(1, 0), "");
  EXPECT_EQ(refused(2, 0.5), "");
  for (const auto& [gate, dropout] : {std::pair(2.0, 0.0), {2.1, 0.5}, {-0.5, 0.0}})
    EXPECT_THAT(refused(gate, dropout), HasSubstr("certificate holds for gates from 0 to")) << gate;
  Settler<double> settler(network, {.certified = true}, threads);
  EXPECT_EQ(refusal([&] { settler.settle(Gated(0.5)); }), "");
  EXPECT_THAT(refusal([&] { settler.settle(Gated(2)); }), HasSubstr("gates from 0 to 1"));
  EXPECT_THAT(refusal([&] { settler.settle_parts(Gated(2), 0, 1, 1, [](auto...) {}); }), HasSubstr("gates"));
  EXPECT_THAT(refusal([&] { Trainer<double>(network, {.certify = 1, .dropout = 0.5}, threads); }),
              HasSubstr("at 0.999999 at most"));
}

TEST(Trainer, CrossEntropyIsForSharesOfClasses) {
  ThreadPool threads(1);
  const auto refused = [&](std::size_t targets, std::vector<double> values, double weight = 1) {
    NetworkOf<double> classifier(from_text<Architecture>("2-3identity/lateral"), Start::scaled, 1);
    Trainer<double> trainer(classifier, {.loss = CrossEntropy{}}, threads);
    const SampleTable<double> one(2, targets, {0.5, -0.5}, std::move(values), {weight});
    return refusal([&] { trainer.step(one, first(1)); });
  };
  EXPECT_EQ(refused(3, {0, 1, 0}), "");
  EXPECT_EQ(refused(3, {0.25, 0.5, 0.25}), "");
  EXPECT_EQ(refused(2, {0, 1}), "") << "the third output is free";
  for (const std::vector<double>& values : {std::vector<double>{2, 0, 0}, {0, 0, 0}, {1.5, -0.5, 0}})
    EXPECT_THAT(refused(3, values), HasSubstr("cross-entropy takes a target for each class"));
  EXPECT_EQ(refused(3, {0, 0, 0}, 0), "") << "a sample without weight takes no part";
  EXPECT_THAT(refused(1, {2}), HasSubstr("a target for each class")) << "the number of a class is none";
}

TEST(Trainer, IsEitherCertifiedOrPulled) {
  NetworkOf<double> network(from_text<Architecture>("1-2tanh-1"), Start::scaled, 1);
  ThreadPool threads(1);
  EXPECT_THROW(Trainer<double>(network, {.certify = 0.9, .pull = 0.9}, threads), Error);
  EXPECT_THROW(Trainer<double>(network, {.pull = 1.5}, threads), Error);
}

TEST(ClassWeights, AreWeightsOfTheSamplesOfAClass) {
  const SampleTable<double> samples = table(3, 0, {1, 1, 1, 1, 2, 1});
  const ClassWeighted<double> weighted(samples, {1, 0.5, 3});
  std::vector<double> found(count);
  weighted.weights(first(count), found.data());
  EXPECT_EQ(found, (std::vector<double>{1, 0.5, 3, 1, 1, 3}));
  EXPECT_EQ(weighted.targets(), 3u);
}

TEST(ClassWeights, BalancedGiveEveryClassTheSameWeightInAll) {
  // Classes 0, 1, 2 have 4, 2 and no samples; the sample of weight 2 counts as two.
  std::vector<double> targets;
  for (const std::size_t c : {0u, 1u, 0u, 0u, 0u})
    for (std::size_t k = 0; k < 3; ++k) targets.push_back(c == k);
  const SampleTable<double> samples(1, 3, {1, 2, 3, 4, 5}, targets, {1, 2, 1, 1, 1});
  EXPECT_EQ(balanced_class_weights(samples), (std::vector<double>{6 / (2 * 4.0), 6 / (2 * 2.0), 1}));
  const ClassWeighted<double> weighted(samples, balanced_class_weights(samples));
  std::vector<double> found(5);
  weighted.weights(first(5), found.data());
  EXPECT_DOUBLE_EQ(found[1], found[0] + found[2] + found[3] + found[4]);
  EXPECT_DOUBLE_EQ(std::accumulate(found.begin(), found.end(), 0.0), 6);
}

TEST(ClassWeights, AreAmongTheTargetsOfTheirHead) {
  const SampleTable<double> samples = table(7, 2);
  EXPECT_EQ(balanced_class_weights(samples, {.first = 2, .count = 3}), (std::vector<double>{1, 1, 1}));
  const ClassWeighted<double> weighted(samples, {1, 2, 3}, 2);
  std::vector<double> found(count);
  weighted.weights(first(count), found.data());
  EXPECT_EQ(found, (std::vector<double>{1, 2, 3, 1, 2, 3}));
}

TEST(ClassWeights, ThatMakeNoSenseAreRefused) {
  const SampleTable<double> samples = table(3, 0);
  for (const double wrong : {-1.0, HUGE_VAL, std::nan("")})
    EXPECT_THAT(refusal([&] { ClassWeighted<double>(samples, {1, wrong, 1}); }),
                HasSubstr("weight of class 1"));
  EXPECT_THAT(refusal([&] { ClassWeighted<double>(samples, {1, 1}, 2); }), HasSubstr("3 targets"));
  EXPECT_THAT(refusal([&] { ClassWeighted<double>(samples, {}); }), HasSubstr("at least one"));
}

}  // namespace
}  // namespace irn
