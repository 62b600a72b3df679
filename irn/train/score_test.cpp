#include "irn/train/score.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "irn/base/options_text.h"
#include "irn/train/metrics.h"

namespace irn {
namespace {

double r2(const std::vector<std::pair<double, double>>& answers_and_targets) {
  Score score(SquaredLoss{}, 1);
  for (const auto& [y, t] : answers_and_targets) score.add<double>(std::array{y}, std::array{t});
  return score.value();
}

TEST(Score, IsOneForPerfectAnswersAndZeroForTheMean) {
  EXPECT_DOUBLE_EQ(r2({{1, 1}, {2, 2}, {6, 6}}), 1);
  EXPECT_DOUBLE_EQ(r2({{3, 1}, {3, 2}, {3, 6}}), 0);
  EXPECT_DOUBLE_EQ(r2({{6, 1}, {2, 2}, {1, 6}}), 1 - 50.0 / 14);
}

TEST(Score, DoesNotCancelFarFromZero) {
  EXPECT_NEAR(r2({{1e9 + 1, 1e9}, {1e9 + 2, 1e9 + 2}, {1e9 + 4, 1e9 + 4}}), 1 - 1.0 / 8, 1e-6);
  // The first target is so far off that it makes most of the spread.
  EXPECT_NEAR(r2({{1e9 + 1e5, 1e9}, {1, 1}, {2, 2}, {4, 4}}), 1 - 1e10 / 0.75e18, 1e-12);
}

TEST(Score, OfPartsIsThatOfTheWhole) {
  Score whole(SquaredLoss{}, 1), parts(SquaredLoss{}, 1);
  for (int part = 0; part < 4; ++part) {
    Score one(SquaredLoss{}, 1);
    for (int k = 0; k < 3 * part; ++k) {  // the first has no samples
      const double t = 1e6 + part + 0.37 * k, y = t + 0.1 * std::sin(k);
      whole.add<double>(std::array{y}, std::array{t});
      one.add<double>(std::array{y}, std::array{t});
    }
    parts += one;
  }
  EXPECT_EQ(parts.weight(), whole.weight());
  EXPECT_NEAR(parts.value(), whole.value(), 1e-9);
}

TEST(Score, CountsTheClassOfTheLargestOutput) {
  Score score(CrossEntropy{}, 3);
  const std::array<double, 3> first = {1, 0, 0}, second = {0, 1, 0};
  score.add<double>(std::array{0.5, 0.1, -3.0}, first);
  score.add<double>(std::array{0.5, 0.1, -3.0}, second);
  EXPECT_EQ(score.value(), 0.5);
}

TEST(Score, MeanLossIsThatOfTheSamples) {
  const CustomLoss largest_error{"largest error", [](auto y, auto t, auto) {
                                   double most = 0;
                                   for (std::size_t k = 0; k < t.size(); ++k)
                                     most = std::max(most, std::abs(y[k] - t[k]));
                                   return most;
                                 }};
  const std::array<std::array<double, 2>, 3> y = {{{1, 2}, {0, -3}, {0.1, 0.2}}},
                                             t = {{{0, 1}, {1, 0}, {1, 0}}};
  std::vector<Loss> losses = {largest_error};
  for_each_choice<NamedLoss>([&](const auto& loss) { losses.push_back(loss); });
  for (const Loss& loss : losses) {
    Score score(loss, 2);
    double sum = 0;
    for (std::size_t s = 0; s < 3; ++s) {
      score.add<double>(y[s], t[s]);
      sum += loss_and_slopes<double>(loss, y[s], t[s], {});
    }
    EXPECT_DOUBLE_EQ(score.loss(), sum / 3) << name_of(loss);
  }
  EXPECT_EQ(Score::name(largest_error), "R2");
  EXPECT_EQ(Score::name(CustomLoss{.classes = true}), "accuracy");
}

TEST(Score, AWeightOfTwoIsTheSampleTwiceAndOneOfNoneIsNoSample) {
  const auto add = [](Score& score, std::array<double, 2> y, std::array<double, 2> t, double weight) {
    score.add<double>(y, t, weight);
  };
  for_each_choice<NamedLoss>([&](const auto& loss) {
    Score weighted(loss, 2), plain(loss, 2);
    add(weighted, {9, 9}, {0, 1}, 0);
    add(weighted, {1, 2}, {0, 1}, 2);
    add(weighted, {0, 3}, {1, 0}, 1);
    for (int twice = 0; twice < 2; ++twice) add(plain, {1, 2}, {0, 1}, 1);
    add(plain, {0, 3}, {1, 0}, 1);
    EXPECT_DOUBLE_EQ(weighted.loss(), plain.loss()) << loss.name;
    EXPECT_DOUBLE_EQ(weighted.value(), plain.value()) << loss.name;
    EXPECT_EQ(weighted.weight(), 3);
  });
  Score none(SquaredLoss{}, 2);
  add(none, {1, 2}, {0, 1}, 0);
  EXPECT_TRUE(std::isnan(none.loss()) && std::isnan(none.value()));
}

// As defined in metrics.h, for any parts.
TEST(Score, ASampleWithoutAnAnswerIsAWrongOne) {
  Score classes(CrossEntropy{}, 2);
  classes.add<double>(std::array{1.0, 0.0}, std::array{1.0, 0.0});
  const double loss = classes.loss();
  classes.add_unanswered<double>(std::array{1.0, 0.0}, 3);
  EXPECT_EQ(classes.value(), 0.25);
  EXPECT_EQ(classes.loss(), loss) << "over the samples that have one";

  NumberJudge judge;
  Score whole(SquaredLoss{}, 1), parts(SquaredLoss{}, 1);
  for (int part = 0; part < 3; ++part) {
    Score one(SquaredLoss{}, 1);
    for (int k = 0; k < 5; ++k) {
      const double t = 1e4 + part + 0.37 * k, y = t + 0.1 * std::sin(k);
      if (k % 3 == part) {
        judge.add_unanswered(t), whole.add_unanswered<double>(std::array{t}),
            one.add_unanswered<double>(std::array{t});
      } else {
        judge.add(t, y), whole.add<double>(std::array{y}, std::array{t}),
            one.add<double>(std::array{y}, std::array{t});
      }
    }
    parts += one;
  }
  EXPECT_NEAR(whole.value(), judge.scores().r2, 1e-9);
  EXPECT_NEAR(parts.value(), whole.value(), 1e-9);
}

TEST(Score, SaysNothingWhereThereIsNothingToJudge) {
  EXPECT_TRUE(std::isnan(Score(CrossEntropy{}, 2).value()));
  EXPECT_TRUE(std::isnan(r2({{1, 2}, {3, 2}}))) << "the target never varies";
}

}  // namespace
}  // namespace irn
