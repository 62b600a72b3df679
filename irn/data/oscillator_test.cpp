#include "irn/data/oscillator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include "irn/base/error.h"

namespace irn {
namespace {

constexpr std::size_t many = 100000;

std::vector<OscillatorParameters> drawn(const OscillatorOptions& options) {
  const Oscillator<double> set(options);
  std::vector<OscillatorParameters> all;
  for (std::uint64_t i = 0; i < options.count; ++i) all.push_back(set.parameters(i));
  return all;
}

template <class Part>
std::vector<double> sorted(const std::vector<OscillatorParameters>& all, Part part) {
  std::vector<double> values;
  for (const OscillatorParameters& p : all) values.push_back(part(p));
  std::sort(values.begin(), values.end());
  return values;
}

// Largest distance between the empirical and the given distribution function.
template <class Distribution>
double kolmogorov(const std::vector<double>& values, Distribution distribution) {
  const double n = static_cast<double>(values.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double f = distribution(values[i]);
    worst = std::max({worst, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return worst;
}

double normal(double x) { return 0.5 * std::erfc(-x / (2 * std::sqrt(2.0))); }

TEST(Oscillator, TheParametersHaveTheDistributionsOfThePaper) {
  const auto all = drawn({.seed = 11, .count = many});
  // Exceeded with probability 2 exp(-2 * 1.95^2) = 0.1 %; the seed is fixed, so this does not flicker.
  const double bound = 1.95 / std::sqrt(static_cast<double>(many));
  EXPECT_LT(kolmogorov(sorted(all, [](auto& p) { return p.x0; }), normal), bound);
  EXPECT_LT(kolmogorov(sorted(all, [](auto& p) { return p.v0; }), normal), bound);
  EXPECT_LT(kolmogorov(sorted(all, [](auto& p) { return p.w0; }), [](double w) { return w - 1; }), bound);
  EXPECT_LT(kolmogorov(sorted(all, [](auto& p) { return p.d; }), [](double d) { return d / 2; }), bound);
}

TEST(Oscillator, TheParametersAreIndependentOfEachOtherAndOfTheirNeighbours) {
  const auto all = drawn({.seed = 12, .count = many});
  const auto unit = [](const OscillatorParameters& p) {
    return std::array<double, 4>{p.x0 / 2, p.v0 / 2, (p.w0 - 1.5) * std::sqrt(12.0),
                                 (p.d - 1) * std::sqrt(3.0)};
  };
  const double bound =
      4.5 / std::sqrt(static_cast<double>(many));  // 4.5 standard deviations, over 28 numbers
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b) {
      double here = 0, next = 0;
      for (std::size_t i = 0; i + 1 < many; ++i) {
        here += unit(all[i])[a] * unit(all[i])[b];
        next += unit(all[i])[a] * unit(all[i + 1])[b];
      }
      EXPECT_NEAR(here / many, a == b ? 1 : 0, a == b ? 1.5 * bound : bound) << a << b;
      EXPECT_NEAR(next / many, 0, bound) << a << b;
    }
}

TEST(Oscillator, NoSampleComesTwice) {
  const auto all = drawn({.seed = 13, .count = many});
  std::set<std::tuple<double, double, double, double>> seen;
  for (const auto& p : all) seen.emplace(p.x0, p.v0, p.w0, p.d);
  EXPECT_EQ(seen.size(), many);
}

// The closest calls of the mapping: words next to each other where the radius changes least.
TEST(Oscillator, AdjacentWordsStayDistinctInDouble) {
  const auto radius = [](double word) { return std::sqrt(-2 * std::log((word + 0.5) * 0x1p-32)); };
  for (const double word : {0.0, 1.0, 0x1p16, 0x1p31, 2604000000.0, 0x1p32 - 3, 0x1p32 - 2}) {
    const double gap = (radius(word) - radius(word + 1)) / radius(word);
    EXPECT_GT(gap, 1e-11) << word;  // against errors of some 1e-15
  }
}

TEST(Oscillator, TheRangeOfIndicesSplitsTheSet) {
  const Oscillator<float> whole({.seed = 3, .count = 100});
  const Oscillator<float> rest({.seed = 3, .first = 80, .count = 20});
  const std::uint64_t in_whole = 85, in_rest = 5;
  std::vector<float> a(100), b(100);
  whole.inputs_as_rows({&in_whole, 1}, a.data());
  rest.inputs_as_rows({&in_rest, 1}, b.data());
  EXPECT_EQ(a, b);
  EXPECT_EQ(whole.parameters(85).w0, rest.parameters(5).w0);
  EXPECT_NE(Oscillator<float>({.seed = 4, .count = 100}).parameters(85).w0, whole.parameters(85).w0);
}

// Classical Runge-Kutta with 200 steps a point in long double: error about (0.0005 * 2)^4 * 10, below 1e-11.
std::vector<double> integrated(const OscillatorParameters& p, std::size_t points, double time_step) {
  using Real = long double;
  const Real h = static_cast<Real>(time_step) / 200, w2 = static_cast<Real>(p.w0) * p.w0, d2 = 2 * Real{p.d};
  Real x = p.x0, v = p.v0;
  std::vector<double> all;
  for (std::size_t k = 0; k < points; ++k) {
    all.push_back(static_cast<double>(x));
    for (int i = 0; i < 200; ++i) {
      const Real x1 = v, v1 = -d2 * v - w2 * x;
      const Real x2 = v + h / 2 * v1, v2 = -d2 * x2 - w2 * (x + h / 2 * x1);
      const Real x3 = v + h / 2 * v2, v3 = -d2 * x3 - w2 * (x + h / 2 * x2);
      const Real x4 = v + h * v3, v4 = -d2 * x4 - w2 * (x + h * x3);
      x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
      v += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    }
  }
  return all;
}

double worst_against_integration(const OscillatorOptions& options, std::uint64_t index) {
  const Oscillator<double> set(options);
  std::vector<double> x(options.points);
  set.inputs_as_rows({&index, 1}, x.data());
  const std::vector<double> want = integrated(set.parameters(index), options.points, options.time_step);
  double worst = 0;
  for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::abs(x[k] - want[k]));
  return worst;
}

TEST(Oscillator, TrajectoriesAgreeWithAnIntegrationInAllThreeRegimes) {
  const OscillatorOptions options{.seed = 21, .count = many};
  const auto all = drawn(options);
  const auto damping = [&](std::size_t i) { return all[i].d / all[i].w0; };
  std::size_t critical = 0;
  for (std::size_t i = 0; i < many; ++i)
    if (std::abs(damping(i) - 1) < std::abs(damping(critical) - 1)) critical = i;
  EXPECT_LT(std::abs(damping(critical) - 1), 1e-4);
  EXPECT_LT(worst_against_integration(options, critical), 1e-11) << "nearly critical";
  int under = 0, over = 0;
  for (std::size_t i = 0; under < 15 || over < 15; ++i) {
    ++(damping(i) < 1 ? under : over);
    EXPECT_LT(worst_against_integration(options, i), 1e-11) << "d / w0 = " << damping(i);
  }
}

TEST(Oscillator, LongTimeStepsAgreeWithAnIntegrationToo) {
  for (std::uint64_t i = 0; i < 10; ++i)
    EXPECT_LT(worst_against_integration({.seed = 5, .count = 10, .points = 20, .time_step = 0.7}, i), 1e-8);
}

TEST(Oscillator, TargetsAreTheScaledParameters) {
  const Oscillator<double> set({.seed = 2, .count = 200});
  std::vector<std::uint64_t> index(200);
  std::iota(index.rbegin(), index.rend(), std::uint64_t{0});
  std::vector<double> targets(400);
  set.targets_as_rows(index, targets.data());
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(targets[2 * i], set.parameters(index[i]).w0 - 1);
    EXPECT_EQ(targets[2 * i + 1], set.parameters(index[i]).d / 2);
  }
}

TEST(Oscillator, ThreadsSeeTheSameSamples) {
  const Oscillator<float> set({.seed = 2, .count = 64});
  std::vector<std::uint64_t> index(64);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  std::array<std::vector<float>, 4> seen;
  std::vector<std::thread> threads;
  for (auto& mine : seen)
    threads.emplace_back([&] {
      mine.resize(6400);
      set.inputs_as_lanes(index, 64, mine.data());
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& other : seen) EXPECT_EQ(other, seen[0]);
}

TEST(Oscillator, OptionsThatMakeNoSenseAreRefused) {
  const auto refused = [](const OscillatorOptions& options) {
    EXPECT_THROW(Oscillator<float>{options}, Error);
  };
  refused({.count = 0});
  refused({.first = ~std::uint64_t{0}, .count = 2});
  refused({.count = 1, .points = 0});
  for (const double bad : {0.0, -0.1, 101.0, std::nan(""), HUGE_VAL}) refused({.count = 1, .time_step = bad});
  for (const double bad : {0.0, -2.0, std::nan(""), HUGE_VAL}) refused({.count = 1, .spread = bad});
}

TEST(Oscillator, SamplesThatDoNotExistAreRefused) {
  const Oscillator<float> set({.count = 3});
  const std::array<std::uint64_t, 2> index = {0, 3};
  std::vector<float> out(800);
  EXPECT_THROW(set.inputs_as_rows(index, out.data()), Error);
  EXPECT_THROW(set.inputs_as_lanes(index, 8, out.data()), Error);
  EXPECT_THROW(set.targets_as_rows(index, out.data()), Error);
  EXPECT_THROW(set.parameters(3), Error);
  EXPECT_THROW(set.inputs_as_lanes(std::span(index).first(1), 0, out.data()), Error);
}

}  // namespace
}  // namespace irn
