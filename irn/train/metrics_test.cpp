#include "irn/train/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "irn/base/random.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::HasSubstr;

// A row of two classes, by the probability of the second.
void add(ClassJudge& judge, std::size_t truth, double p, double weight = 1) {
  judge.add(truth, std::array{1 - p, p}, weight);
}

TEST(Metrics, OfTwoClassesByHand) {
  // Truth 0 0 0 1 1, answers 0 1 0 1 0.
  ClassJudge judge(2);
  add(judge, 0, 0.1), add(judge, 0, 0.6), add(judge, 0, 0.2), add(judge, 1, 0.9), add(judge, 1, 0.4);
  const Classification s = judge.scores();
  EXPECT_DOUBLE_EQ(s.accuracy, 3 / 5.0);
  EXPECT_DOUBLE_EQ(s.balanced_accuracy, (2 / 3.0 + 1 / 2.0) / 2);
  EXPECT_DOUBLE_EQ(s.classes[1].precision, 1 / 2.0);
  EXPECT_DOUBLE_EQ(s.classes[1].recall, 1 / 2.0);
  EXPECT_DOUBLE_EQ(s.classes[0].f1, 2 / 3.0);
  EXPECT_DOUBLE_EQ(s.roc_auc, 5 / 6.0) << "of six pairs (0.4, 0.6) is lost";
  EXPECT_DOUBLE_EQ(s.classes[1].pr_auc, (1 + 2 / 3.0) / 2) << "0.9 at precision 1, 0.4 at precision 2 of 3";
  EXPECT_DOUBLE_EQ(s.log_loss,
                   -(std::log(0.9) + std::log(0.4) + std::log(0.8) + std::log(0.9) + std::log(0.4)) / 5);
  EXPECT_EQ(s.confusion, (std::vector<double>{2, 1, 1, 1}));
}

TEST(Metrics, ATieIsHalfAPair) {
  ClassJudge judge(2);
  add(judge, 0, 0.5), add(judge, 1, 0.5);
  EXPECT_DOUBLE_EQ(judge.scores().roc_auc, 0.5);
  add(judge, 1, 0.7);
  EXPECT_DOUBLE_EQ(judge.scores().roc_auc, 0.75);
}

TEST(Metrics, CalibrationComparesWhatIsSaidWithWhatIsRight) {
  ClassJudge judge(2);
  for (int k = 0; k < 10; ++k) add(judge, k < 8 ? 1 : 0, 0.8);  // says 0.8, is right in 8 of 10
  EXPECT_NEAR(judge.scores().calibration_error, 0, 1e-15);
  for (int k = 0; k < 10; ++k) add(judge, 0, 0.05);  // says 0.95, is always right
  const Classification s = judge.scores();
  EXPECT_NEAR(s.calibration_error, 0.05 / 2, 1e-15);
  EXPECT_EQ(s.calibration[7].rows, 10);
  EXPECT_NEAR(s.calibration[9].probability, 0.95, 1e-15);
}

// A row without an answer is as bad as one answered wrongly with certainty, except that no class gets it.
TEST(Metrics, ARowWithoutAnAnswerIsWrongWithCertainty) {
  ClassJudge lost(2), wrong(2);
  for (ClassJudge* judge : {&lost, &wrong}) add(*judge, 0, 0.3), add(*judge, 1, 0.8), add(*judge, 1, 0.6);
  lost.add(0, {}), lost.add(1, {});
  wrong.add(0, std::array{0.0, 1.0}), wrong.add(1, std::array{1.0, 0.0});
  const Classification a = lost.scores(), b = wrong.scores();
  EXPECT_EQ(a.accuracy, 3 / 5.0);
  for (const Metric metric : {Metric::accuracy, Metric::balanced_accuracy, Metric::recall, Metric::roc_auc,
                              Metric::log_loss, Metric::calibration_error})
    EXPECT_DOUBLE_EQ(a.value(metric), b.value(metric)) << name(metric);
  EXPECT_DOUBLE_EQ(a.classes[1].pr_auc, b.classes[1].pr_auc);
  EXPECT_EQ(a.classes[1].precision, 1);
  EXPECT_EQ(a.confusion, (std::vector<double>{1, 0, 0, 2}));

  ClassJudge none(2);
  none.add(0, {}), none.add(1, {});
  EXPECT_EQ(none.scores().accuracy, 0);
  EXPECT_EQ(none.scores().roc_auc, 0);
}

TEST(Metrics, NumbersByHand) {
  NumberJudge judge;  // errors 0, 1, -2, 5; targets 1, 2, 2, 3
  judge.add(1, 1), judge.add(2, 3), judge.add(2, 0), judge.add(3, 8);
  const TargetScores s = judge.scores();
  EXPECT_DOUBLE_EQ(s.r2, 1 - 30 / 2.0);
  EXPECT_DOUBLE_EQ(s.rms, std::sqrt(30 / 4.0));
  EXPECT_DOUBLE_EQ(s.absolute, 2);
  EXPECT_DOUBLE_EQ(s.median_absolute, 1.5);
  EXPECT_EQ(s.quantiles[0], -2);
  EXPECT_DOUBLE_EQ(s.quantiles[2], 0.5);
  EXPECT_EQ(s.quantiles[4], 5);
}

TEST(Metrics, ANumberWithoutAnAnswerIsAnsweredWithTheMean) {
  NumberJudge lost, mean;
  for (NumberJudge* judge : {&lost, &mean}) judge->add(1, 1.5), judge->add(4, 4.5);
  lost.add_unanswered(7);
  mean.add(7, 4);
  EXPECT_EQ(lost.scores().numbers(), mean.scores().numbers());
  NumberJudge none;
  none.add_unanswered(1), none.add_unanswered(3);
  EXPECT_EQ(none.scores().r2, 0);
  EXPECT_EQ(none.scores().rms, 1);
}

TEST(Metrics, AWeightOfTwoIsTheRowTwiceAndOneOfNoneIsNoRow) {
  Stream stream(1, 2);
  ClassJudge weighted(3), plain(3);
  NumberJudge weighted_numbers, plain_numbers;
  for (std::size_t r = 0; r < 60; ++r) {
    std::array<double, 3> p = {stream.uniform(3 * r), stream.uniform(3 * r + 1), stream.uniform(3 * r + 2)};
    const double sum = p[0] + p[1] + p[2];
    for (double& share : p) share /= sum;
    const auto weight = double(r % 3);
    const std::span<const double> said = r % 7 == 0 ? std::span<const double>() : std::span<const double>(p);
    weighted.add(r % 5 % 3, said, weight);
    r % 7 == 0 ? weighted_numbers.add_unanswered(p[0], weight) : weighted_numbers.add(p[0], p[1], weight);
    for (std::size_t twice = 0; twice < r % 3; ++twice) {
      plain.add(r % 5 % 3, said);
      r % 7 == 0 ? plain_numbers.add_unanswered(p[0]) : plain_numbers.add(p[0], p[1]);
    }
  }
  const NamedNumbers a = weighted.scores().numbers(), b = plain.scores().numbers();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k].second, b[k].second, 1e-12) << a[k].first;
  const NamedNumbers c = weighted_numbers.scores().numbers(), d = plain_numbers.scores().numbers();
  for (std::size_t k = 0; k < c.size(); ++k) EXPECT_NEAR(c[k].second, d[k].second, 1e-12) << c[k].first;
}

TEST(Metrics, WhereThereIsNothingToJudgeThereIsNoNumber) {
  EXPECT_TRUE(std::isnan(ClassJudge(2).scores().accuracy));
  EXPECT_TRUE(std::isnan(NumberJudge().scores().rms));
  ClassJudge one(3);
  one.add(1, std::array{0.1, 0.8, 0.1});
  const Classification s = one.scores();
  EXPECT_EQ(s.accuracy, 1);
  EXPECT_EQ(s.balanced_accuracy, 1) << "the other classes have no rows";
  EXPECT_TRUE(std::isnan(s.roc_auc)) << "and so there is no pair";
  EXPECT_TRUE(std::isnan(s.classes[0].f1));
  NumberJudge constant;
  constant.add(3, 1), constant.add(3, 2);
  EXPECT_TRUE(std::isnan(constant.scores().r2));
}

// Compared with trying every threshold in turn.
TEST(Metrics, TheBestThresholdIsNoWorseThanAnyOther) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Stream stream(seed, 0);
    std::vector<std::pair<std::size_t, double>> rows;
    for (std::size_t r = 0; r < 25; ++r) {
      const auto truth = static_cast<std::size_t>(stream.uniform(2 * r) < 0.3);
      rows.emplace_back(truth, std::round(20 * (0.7 * stream.uniform(2 * r + 1) + 0.2 * double(truth))) / 20);
    }
    const auto value = [&](double threshold, Metric metric) {
      ClassJudge judge(2, threshold);
      for (const auto& [truth, p] : rows) add(judge, truth, p);
      judge.add(1, {});
      return judge.scores().value(metric);
    };
    for (const Metric metric :
         {Metric::accuracy, Metric::balanced_accuracy, Metric::f1, Metric::recall, Metric::precision}) {
      ClassJudge judge(2);
      for (const auto& [truth, p] : rows) add(judge, truth, p);
      judge.add(1, {});
      const double found = judge.best_threshold(metric), reached = value(found, metric);
      for (double other = 0.025; other < 1; other += 0.05)
        EXPECT_GE(reached, value(other, metric) - 1e-12) << name(metric) << " at " << found << ", " << other;
    }
  }
}

// A probability of 1 reaches every threshold; and there is no threshold between two adjacent numbers.
TEST(Metrics, TheBestThresholdAnswersAsItWasJudged) {
  ClassJudge saturated(2);
  for (const std::size_t truth : {0, 0, 0, 1}) add(saturated, truth, truth == 0 ? 1.0 : 0.2);
  const double found = saturated.best_threshold(Metric::accuracy);
  EXPECT_EQ(answer_of(std::array{0.8, 0.2}, found), 1u) << "one of four right, at " << found;
  ClassJudge apart(2);
  const double next = std::nextafter(0.75, 1.0);
  for (const double p : {0.75, 0.75, 0.3}) add(apart, 0, p);
  add(apart, 1, next);
  EXPECT_EQ(apart.best_threshold(Metric::accuracy), next);
  ClassJudge zeros(2);
  for (const std::size_t truth : {1, 1, 1, 0}) add(zeros, truth, 0.0);
  EXPECT_EQ(zeros.best_threshold(Metric::accuracy), 0) << "which answers 1 to all";
  ClassJudge even(2);
  for (const double p : {0.5, 0.5}) add(even, 1, p);
  for (const double p : {std::nextafter(0.5, 0.0), 0.2}) add(even, 0, p);
  EXPECT_LT(even.best_threshold(Metric::accuracy), 0.5) << "rows at 0.5 are answered 1 below it alone";
}

TEST(Metrics, TheRocCurveEnclosesItsArea) {
  ClassJudge judge(2);
  const Stream stream(3, 0);
  for (std::size_t r = 0; r < 200; ++r) add(judge, r % 3 == 0, std::round(10 * stream.uniform(r)) / 10);
  double area = 0;
  const auto curve = judge.roc_curve(1);
  for (std::size_t i = 1; i < curve.size(); ++i)
    area += (curve[i].first - curve[i - 1].first) * (curve[i].second + curve[i - 1].second) / 2;
  EXPECT_EQ(curve.back(), std::pair(1.0, 1.0));
  EXPECT_NEAR(area, judge.scores().classes[1].roc_auc, 1e-12);
}

TEST(Metrics, HaveNames) {
  EXPECT_EQ(metric_named("balanced-accuracy"), Metric::balanced_accuracy);
  EXPECT_EQ(metric_named("R2"), Metric::r2);
  EXPECT_THAT(refusal([] { metric_named("acuracy"); }), HasSubstr("accuracy"));
  EXPECT_TRUE(larger_is_better(Metric::f1) && larger_is_better(Metric::r2));
  EXPECT_FALSE(larger_is_better(Metric::log_loss) || larger_is_better(Metric::rms) ||
               larger_is_better(Metric::loss));
}

}  // namespace
}  // namespace irn
