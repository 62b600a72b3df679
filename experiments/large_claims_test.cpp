// Claims 6 to 9 on made-up runs with known answers.
#include <gtest/gtest.h>

#include <random>

#include "experiments/claim_parts.h"
#include "experiments/oscillator_claims.h"
#include "experiments/oscillator_curves.h"
#include "experiments/small_parts_testing.h"
#include "experiments/sweep_claims.h"
#include "experiments/sweep_points.h"

namespace irn::experiments {
namespace {

struct Curve {
  double error, of_repeat, of_epoch;  // mean, deviation between repeats, and from epoch to epoch
};

// Learning curves without a trend: feed-forward, semi-gradient, exact.
Results results_of(const Protocol& p, const std::array<Curve, 3>& curves) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Results results;
  for (const NetworkKind kind : kinds) {
    OscillatorRun run = curve_run(p, kind);
    const Curve& curve = curves[static_cast<std::size_t>(kind)];
    for (run.repeat = 0; run.repeat < p.repeats; ++run.repeat) {
      const double level = curve.error + curve.of_repeat * normal(random);
      Json loss = Json::array();
      for (std::size_t e = 0; e < p.epochs; ++e) loss.push_back(level + curve.of_epoch * normal(random));
      results.add(run.key(), {{"train", {{"loss", loss}}}, {"test", {{{"loss", level}}}}});
    }
  }
  return results;
}

Protocol curves_protocol(std::size_t repeats) {
  Protocol p = Protocol::quick();
  p.repeats = repeats, p.epochs = 60;
  return p;
}

constexpr Curve wide = {0.03, 2e-3, 2e-3}, narrow = {0.03, 1e-3, 1e-3}, between = {0.03, 4e-3, 1e-3},
                little = {0.03, 1.2e-3, 1.02e-3};

TEST(VarianceClaim, FollowsFromTheIntervalsOfItsParts) {
  const Protocol p = curves_protocol(60);
  EXPECT_EQ(variance_claim(p, results_of(p, {wide, narrow, narrow})).finding, Finding::holds);
  EXPECT_EQ(variance_claim(p, results_of(p, {narrow, wide, wide})).finding, Finding::fails);
  EXPECT_EQ(variance_claim(p, results_of(p, {wide, narrow, between})).finding, Finding::partly);
  EXPECT_EQ(variance_claim(p, results_of(p, {wide, wide, wide})).finding, Finding::undecided);
}

TEST(VarianceClaim, OfFewRepeatsIsUndecided) {
  for (const std::size_t repeats : {2, 3}) {
    const Protocol p = curves_protocol(repeats);
    const Claim claim = variance_claim(p, results_of(p, {little, narrow, narrow}));
    EXPECT_EQ(claim.finding, Finding::undecided) << claim.measured;
    EXPECT_EQ(claim.measured.find("nan"), std::string::npos) << claim.measured;
    EXPECT_EQ(parts_table("parts", {claim}).rows.size(), 4u);
  }
}

TEST(OrderClaim, FollowsFromDifferencesWithinRepeats) {
  const Protocol p = curves_protocol(12);
  const auto with_errors = [&](double feed_forward, double semi, double exact) {
    return order_claim(p, results_of(p, {{{feed_forward, 1e-3, 0}, {semi, 1e-3, 0}, {exact, 1e-3, 0}}}));
  };
  EXPECT_EQ(with_errors(0.05, 0.04, 0.03).finding, Finding::holds);
  EXPECT_EQ(with_errors(0.03, 0.04, 0.05).finding, Finding::fails);
  EXPECT_EQ(with_errors(0.03, 0.03, 0.03).finding, Finding::undecided);
  EXPECT_EQ(with_errors(0.05, 0.04, 0.04).finding, Finding::partly);
}

using ErrorOfSize = std::function<double(NetworkKind, double size)>;

// Sweeps whose repeats differ by a factor that all their networks share, and by independent noise.
Results sweep_of(const Protocol& p, double noise, const ErrorOfSize& error) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Results results;
  for (std::size_t repeat = 0; repeat < p.sweep_repeats; ++repeat) {
    const double shared = std::exp(0.2 * normal(random));
    for (const NetworkKind kind : kinds)
      for (const std::size_t hidden : p.sweep_sizes()) {
        const OscillatorRun run{.kind = kind, .hidden = hidden, .repeat = repeat};
        const double parameters = double(kind == NetworkKind::feed_forward ? hidden * 100 : hidden * 120);
        const double value = shared * error(kind, double(hidden)) * std::exp(noise * normal(random));
        results.add(run.key(), {{"parameters", parameters}, {"test", {{{"loss", value}}}}});
      }
  }
  return results;
}

Protocol sweep_protocol(std::size_t repeats) {
  Protocol p = Protocol::quick();
  p.sweep_repeats = repeats;
  return p;
}

double behind(NetworkKind kind, double size, double factor) {
  return (kind == NetworkKind::exact ? 1 : factor) / size;
}

TEST(AheadClaim, NeedsEverySizeAndEveryNumberOfParameters) {
  const Protocol p = sweep_protocol(12);
  const auto finding = [&](const ErrorOfSize& error) {
    return ahead_claim(p, sweep_of(p, 0.01, error)).finding;
  };
  EXPECT_EQ(finding([](auto kind, double size) { return behind(kind, size, 1.3); }), Finding::holds);
  // Ahead at equal numbers of neurons, but not at equal numbers of parameters.
  EXPECT_EQ(finding([](auto kind, double size) { return behind(kind, size, 1.1); }), Finding::partly);
  EXPECT_EQ(finding([](auto kind, double size) { return behind(kind, size, 0.9); }), Finding::fails);
}

TEST(ErrorsAt, LieOnEachRepeatsOwnLine) {
  const std::vector<SizePoint> points = {{1, 100, {1, 2}}, {2, 400, {0.25, 8}}};
  EXPECT_EQ(errors_at(points, 400), points[1].errors);
  const std::vector<double> middle = errors_at(points, 200);
  EXPECT_NEAR(middle.at(0), 0.5, 1e-12);
  EXPECT_NEAR(middle.at(1), 4, 1e-12);
  EXPECT_TRUE(errors_at(points, 401).empty());
}

TEST(SemiClaim, AsksForDifferenceAndRatio) {
  const Protocol p = sweep_protocol(12);
  const auto finding = [&](double noise, const std::function<double(double)>& ratio) {
    return semi_claim(
               p, sweep_of(p, noise,
                           [&](NetworkKind kind, double size) { return behind(kind, size, ratio(size)); }))
        .finding;
  };
  EXPECT_EQ(finding(0.01, [](double size) { return 1 + 1 / size; }), Finding::holds);
  EXPECT_EQ(finding(0.01, [](double size) { return 1 + size * size; }), Finding::fails);
  EXPECT_EQ(finding(0.01, [](double) { return 1.5; }), Finding::partly);  // the difference alone falls
  EXPECT_EQ(finding(0.3, [](double) { return 1; }), Finding::undecided);
}

}  // namespace
}  // namespace irn::experiments
