// The convolution study's parts from their jobs to their reports, at small scale.
#include "experiments/convolution/study.h"

#include "experiments/convolution/parts.h"
#include "experiments/convolution/results.h"
#include "experiments/small_parts_testing.h"

namespace irn::experiments {
namespace {

ConvolutionSettings small_settings() {
  ConvolutionSettings s = ConvolutionSettings::quick();
  s.repeats = 2, s.rows = 64, s.held_out = 30, s.channels = 3, s.epochs = 1;
  return s;
}

TEST(ConvolutionStudy, PatternsHaveAboutAsManyParameters) {
  for (const std::size_t channels : {3, 8, 12})
    for (const Pattern& p : patterns()) {
      const double wanted = double(sized(patterns().front(), channels).parameters()),
                   has = double(sized(p, channels).parameters());
      EXPECT_NEAR(has / wanted, 1, channels < 8 ? 0.2 : 0.04) << p.name << " " << channels;
      EXPECT_EQ(sized(p, channels).recurrent(), p.recurrent());
    }
}

TEST(ConvolutionStudy, CertifiedNetworksSettleAndEveryPatternIsJudged) {
  const ConvolutionSettings s = small_settings();
  const PartReport recurrence = report_of(convolution_recurrence_part(), s);
  expect_drawable(recurrence);
  EXPECT_EQ(recurrence.claims.size(), 7u);
  EXPECT_EQ(recurrence.tables[0].rows.size(), variants().size());
  EXPECT_EQ(claim(recurrence, 7).finding, Finding::holds) << claim(recurrence, 7).measured;
  const PartReport robustness = report_of(convolution_robustness_part(), s);
  expect_drawable(robustness);
  EXPECT_EQ(robustness.claims.size(), 4u);
  EXPECT_EQ(robustness.tables[0].columns.size(), 2 + disturbances().size());
}

TEST(ConvolutionStudy, LearnsDrawnDigits) {
  ConvolutionSettings s = small_settings();
  s.rows = 300, s.epochs = 8;
  const std::atomic<bool> stop = false;
  for (const Job& job : convolution_jobs(s))
    if (job.key == exact(pattern("lateral-1")).key(0)) {
      const Json result = job.run(Watch(stop));
      EXPECT_GT(result.at("right").get<double>(), 0.6);
      EXPECT_EQ(result, job.run(Watch(stop)));  // a function of its run
    }
}

TEST(ConvolutionStudy, KeysAreUniqueAndJobsStopWhenTold) {
  std::vector<std::string> keys;
  for (const Job& job : convolution_jobs(small_settings())) keys.push_back(job.key);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
  expect_stops(convolution_recurrence_part(), small_settings());
}

TEST(ConvolutionStudy, RefusesSettingsThatMakeNoSense) {
  const Study study = convolution_study();
  EXPECT_THROW(study.campaign(false, {{"repeats", "1"}}), Error);
  EXPECT_THROW(study.campaign(false, {{"images", "nowhere"}}), Error);
  EXPECT_THROW(study.campaign(false, {{"channels", "1000"}}), Error);
}

}  // namespace
}  // namespace irn::experiments
