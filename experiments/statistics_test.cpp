#include "experiments/statistics.h"

#include <gtest/gtest.h>

#include <random>

namespace irn::experiments {
namespace {

using Points = std::vector<std::vector<double>>;

std::vector<double> normal_draws(std::mt19937_64& random, std::size_t count, double deviation) {
  std::normal_distribution<double> normal(0, deviation);
  std::vector<double> values(count);
  for (double& v : values) v = normal(random);
  return values;
}

TEST(PseudoValues, OfAMeanAreTheValues) {
  const std::vector<double> values = {0.3, -1.2, 4, 0.25, 2.5};
  const double n = 5, whole = estimate(values).mean;
  std::vector<double> without;
  for (const double v : values) without.push_back((n * whole - v) / (n - 1));
  const Estimate jackknife = estimate(pseudo_values(whole, without));
  EXPECT_NEAR(jackknife.mean, whole, 1e-14);
  EXPECT_NEAR(jackknife.error, estimate(values).error, 1e-14);
}

TEST(LogDeviation, LeavesOutWholeRepeats) {
  const Points values = {{1, 2, 4, 8}, {0.5, 0.1, 0.9, 0.3}};
  const auto statistic = [](const Points& points) {
    double sum = 0;
    for (const auto& p : points) sum += estimate(p).error * std::sqrt(double(p.size())) / 2;
    return std::log(sum);
  };
  std::vector<double> without;
  for (std::ptrdiff_t left_out = 0; left_out < 4; ++left_out) {
    Points rest = values;
    for (auto& p : rest) p.erase(p.begin() + left_out);
    without.push_back(statistic(rest));
  }
  const std::vector<double> slow = pseudo_values(statistic(values), without), fast = log_deviation(values);
  for (std::size_t r = 0; r < 4; ++r) EXPECT_NEAR(fast[r], slow[r], 1e-12) << r;
}

// The variance of log(s) of n normal draws is about 1 / (2 (n - 1)).
TEST(LogDeviation, OfNormalDrawsHasItsKnownError) {
  std::mt19937_64 random(1);
  const std::size_t n = 400;
  const Estimate e = estimate(log_deviation({normal_draws(random, n, 3)}));
  EXPECT_NEAR(e.error, 1 / std::sqrt(2.0 * (n - 1)), 0.1 * e.error);
  EXPECT_NEAR(e.mean, std::log(3), 3 * e.error);
}

// How often the interval for a difference of two logarithms contains the truth, over repeats that share half
// of their variance.
double coverage(std::size_t repeats, int trials) {
  std::mt19937_64 random(7);
  int held = 0;
  for (int t = 0; t < trials; ++t) {
    const std::vector<double> shared = normal_draws(random, repeats, 1);
    Points a = {normal_draws(random, repeats, 1)}, b = {normal_draws(random, repeats, 1)};
    for (std::size_t r = 0; r < repeats; ++r) a[0][r] = 2 * (a[0][r] + shared[r]), b[0][r] += shared[r];
    const Estimate gap = paired_difference(log_deviation(a), log_deviation(b));
    held += gap.low() < std::log(2) && std::log(2) < gap.high();
  }
  return double(held) / trials;
}

TEST(LogDeviation, IntervalsHoldTheTruthNineteenTimesInTwenty) {
  EXPECT_NEAR(coverage(12, 4000), 0.95, 0.02);
  EXPECT_NEAR(coverage(100, 4000), 0.95, 0.015);
}

TEST(LogDeviation, OfTwoRepeatsHasNoInterval) {
  const Estimate e = estimate(log_deviation({{1, 2}}));
  EXPECT_FALSE(e.low() > -1e9 || e.high() < 1e9);
}

TEST(EstimateText, HasTheDecimalsOfItsInterval) {
  EXPECT_EQ(text(Estimate{.mean = 0.033251, .half_width = 6.23e-5}), "0.033251 ± 0.000062");
  EXPECT_EQ(text(Estimate{.mean = 37.21, .half_width = 12.3}), "37 ± 12");
  EXPECT_EQ(text(Estimate{.mean = 1.5}), "1.5 ± 0");
  EXPECT_EQ(text(Estimate{.mean = 3.25e-12, .half_width = 1e-13}), "3.25e-12 ± 1e-13");
}

}  // namespace
}  // namespace irn::experiments
