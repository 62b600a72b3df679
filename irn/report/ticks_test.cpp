#include "irn/report/ticks-inl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace irn::report {
namespace {

std::string text(const Tick& tick) {
  return tick.label.text + (tick.label.exponent.empty() ? "" : "^" + tick.label.exponent);
}

std::vector<std::string> texts(const Axis& axis, Range range, int most) {
  std::vector<std::string> out;
  for (const Tick& tick : ticks(axis, range, most).major) out.push_back(text(tick));
  return out;
}

using Texts = std::vector<std::string>;

TEST(Ticks, ReadAsAPersonWouldWriteThem) {
  EXPECT_EQ(texts({}, {0, 1}, 6), (Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(texts({}, {-3, 7}, 6), (Texts{"−2", "0", "2", "4", "6"}));
  EXPECT_EQ(texts({}, {0, 1e5}, 3), (Texts{"0", "50\u2009000", "100\u2009000"}));
  EXPECT_EQ(texts({}, {0, 2e7}, 4), (Texts{"0", "5×10^6", "10×10^6", "15×10^6", "20×10^6"}));
  EXPECT_EQ(texts({}, {0, 3e-6}, 3), (Texts{"0", "1×10^−6", "2×10^−6", "3×10^−6"}));
}

TEST(LogTicks, AreDecadesOrOneTwoFive) {
  EXPECT_EQ(texts({.log = true}, {1e-8, 1}, 5), (Texts{"10^−8", "10^−6", "10^−4", "10^−2", "10^0"}));
  EXPECT_EQ(texts({.log = true}, {1, 40}, 6), (Texts{"1", "2", "5", "10", "20"}));
  EXPECT_EQ(texts({.log = true}, {0.01, 0.2}, 6), (Texts{"0.01", "0.02", "0.03", "0.05", "0.1", "0.2"}));
  EXPECT_EQ(texts({.log = true}, {0.55, 2.6}, 4), (Texts{"1.0", "1.5", "2.0", "2.5"}));
  EXPECT_EQ(texts({.log = true}, {0.55, 3.1}, 4), (Texts{"1", "2", "3"}));
  EXPECT_EQ(texts({.log = true}, {0.2e-3, 90}, 4), (Texts{"10^−3", "10^−2", "10^−1", "10^0", "10^1"}));
  EXPECT_EQ(texts({.log = true}, {0.02, 0.03}, 5),
            (Texts{"0.020", "0.022", "0.024", "0.026", "0.028", "0.030"}));
  EXPECT_EQ(ticks({.log = true}, {1, 1000}, 4).minor.size(), 24u);
}

TEST(Ticks, GivenOnesAndCategoriesStayInsideTheRange) {
  EXPECT_EQ(texts({.log = true, .ticks = {1, 3, 32, 99}}, {0.9, 40}, 2), (Texts{"1", "3", "32"}));
  EXPECT_EQ(texts({.categories = {"a", "b"}}, {-0.5, 1.5}, 2), (Texts{"a", "b"}));
}

void expect_sound(const Axis& axis, Range range, int most) {
  const Ticks out = ticks(axis, range, most);
  std::set<std::string> seen;
  double last = -INFINITY;
  for (const Tick& tick : out.major) {
    EXPECT_GE(tick.at, range.low * (1 - 1e-8 * std::copysign(1, range.low)));
    EXPECT_LE(tick.at, range.high * (1 + 1e-8 * std::copysign(1, range.high)));
    EXPECT_GT(tick.at, last);
    EXPECT_TRUE(seen.insert(text(tick)).second) << "two ticks say " << text(tick);
    last = tick.at;
  }
  EXPECT_LE(out.major.size(), static_cast<std::size_t>(most) + 1);
  EXPECT_LE(out.minor.size(), 400u);
}

TEST(Ticks, AreSoundOverRandomRanges) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-290, 290), unit(0, 1), sign(-1, 1);
  for (int i = 0; i < 20000 && !testing::Test::HasFailure(); ++i) {
    const double size = std::pow(10, i % 2 ? exponent(random) : exponent(random) / 40);
    const double low = size * sign(random), high = low + size * (1e-6 + unit(random));
    const int most = 2 + i % 9;
    SCOPED_TRACE(testing::Message() << low << " " << high << " " << most);
    expect_sound({}, {low, high}, most);
    EXPECT_GE(ticks({}, {low, high}, most).major.size(), most > 3 ? 2u : 1u);
  }
}

TEST(LogTicks, AreSoundOverRandomRanges) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> exponent(-299, 250), span(0, 5);
  for (int i = 0; i < 20000 && !testing::Test::HasFailure(); ++i) {
    const double low = std::pow(10, i % 2 ? exponent(random) : exponent(random) / 50);
    const double high = low * std::pow(10, 1e-4 + (i % 3 ? 1 : 10) * span(random));
    const int most = 2 + i % 9;
    SCOPED_TRACE(testing::Message() << low << " " << high << " " << most);
    expect_sound({.log = true}, {low, high}, most);
  }
}

TEST(NiceStep, IsOneTwoOrFiveTimesAPowerOfTen) {
  for (double span = 1e-9; span < 1e9; span *= 1.37) {
    const double step = nice_step(span, 5),
                 mantissa = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    EXPECT_LE(span / step, 5 + 1e-6);
    EXPECT_GT(span / step, 1.9);
    EXPECT_NEAR(std::min({std::abs(mantissa - 1), std::abs(mantissa - 2), std::abs(mantissa - 5)}), 0, 1e-6)
        << span;
  }
}

}  // namespace
}  // namespace irn::report
