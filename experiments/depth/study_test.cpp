// The depth study's parts from their jobs to their reports, at small scale.
#include "experiments/depth/study.h"

#include "experiments/depth/growth.h"
#include "experiments/depth/parts.h"
#include "experiments/small_parts_testing.h"

namespace irn::experiments {
namespace {

DepthSettings small_settings() {
  DepthSettings s = DepthSettings::quick();
  s.deepest = 2;
  s.repeats = s.oscillator_repeats = 2;
  s.oscillator_epochs = 2, s.oscillator_held_out = 100, s.oscillator_width = 6;
  s.rows = 60, s.held_out = 40, s.width = 8, s.epochs = 1;
  return s;
}

TEST(DepthStudy, EveryPartIsJudgedAndCertifiedNetworksSettle) {
  int first = 1;
  for (const DepthPart& part : {depth_oscillator_part(), depth_images_part()}) {
    const PartReport report = report_of(part, small_settings());
    expect_drawable(report);
    EXPECT_EQ(report.claims.size(), 7u);
    EXPECT_EQ(report.tables[0].rows.size(), depth_methods().size());
    EXPECT_EQ(claim(report, first + 6).finding, Finding::holds) << claim(report, first + 6).measured;
    first += 7;
  }
}

TEST(DepthStudy, WidthsGiveAboutAsManyParameters) {
  for (const Method& m : depth_methods())
    for (std::size_t depth = 1; depth <= 6; ++depth) {
      const auto network = [&](const std::vector<std::size_t>& widths) { return image_network(m, widths); };
      const std::vector<std::size_t> widths = widths_for(depth, 26'000, network);
      EXPECT_EQ(widths.size(), depth);
      EXPECT_LE(widths.front() - widths.back(), 1u);
      EXPECT_NEAR(double(network(widths).parameters()), 26'000, 500) << m.name << " " << depth;
      EXPECT_EQ(network(widths).recurrent(), m.recurrent);
    }
}

// A task with known values: at depth d exact is right in 0.5 + 0.1 d, all others in 0.5; repeats differ by
// the same amounts.
DepthTask known_task(double a_layer) {
  return {.name = "known",
          .label = "a known task",
          .value = "right",
          .deepest = 4,
          .held_out = 100,
          .at =
              [a_layer](const Method& m, std::size_t depth) {
                Measured all;
                for (const double shift : {-0.01, 0.0, 0.02})
                  all.add(0.5 + shift + (m.name == "exact" ? a_layer * double(depth) : 0),
                          m.name == "semi" && depth == 3 ? 0.99 : 1, 10 * double(depth), 1);
                return all;
              },
          .widths = [](const Method&, std::size_t) { return std::vector<std::size_t>{1}; },
          .parameters = [](const Method&, std::size_t) { return std::size_t{1}; },
          .score = [](double value) { return value; },
          .words = points_text};
}

TEST(DepthGrowth, IsWhatALayerMoreAdds) {
  EXPECT_NEAR(growth(known_task(0.1), "exact", "feed-forward").mean, 0.1, 1e-12);
  EXPECT_NEAR(advantage(known_task(0.1), "exact", "feed-forward", 3).mean, 0.3, 1e-12);
  const std::vector<Claim> grows = depth_claims(known_task(0.1), 1),
                           shrinks = depth_claims(known_task(-0.1), 1);
  EXPECT_EQ(grows[0].finding, Finding::holds);
  EXPECT_EQ(grows[1].finding, Finding::holds);
  EXPECT_EQ(shrinks[0].finding, Finding::fails);
  EXPECT_EQ(shrinks[1].finding, Finding::fails);
  EXPECT_EQ(grows[4].finding, Finding::holds);  // evaluations: 10 a layer
  EXPECT_EQ(grows[5].numbers.at("lost"), 3);    // one of a hundred in each of three repeats
  EXPECT_EQ(grows[6].finding, Finding::holds);
}

TEST(DepthStudy, KeysOfAPartAreUniqueAndJobsStopWhenTold) {
  for (const DepthPart& part : {depth_oscillator_part(), depth_images_part()}) {
    std::vector<std::string> keys;
    for (const Job& job : part.jobs(small_settings())) keys.push_back(job.key);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end()) << part.name;
    expect_stops(part, small_settings());
  }
}

TEST(DepthStudy, RefusesSettingsThatMakeNoSense) {
  const Study study = depth_study();
  EXPECT_THROW(study.campaign(false, {{"deepest", "1"}}), Error);
  EXPECT_THROW(study.campaign(false, {{"images", "nowhere"}}), Error);
  EXPECT_THROW(study.campaign(false, {{"width", "3"}}), Error);
}

}  // namespace
}  // namespace irn::experiments
