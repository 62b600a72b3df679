#include "irn/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "tests/support/refusal.h"

namespace irn {
namespace {

using Block = std::array<std::uint32_t, 4>;

// From Random123's file of known answers (kat_vectors), lines "philox4x32 10".
TEST(Stream, BlocksAreThePublishedPhilox) {
  EXPECT_EQ(Stream(0, 0).block(0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Stream(~0ull, ~0ull).block(~0ull), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Stream(0x299f31d0'a4093822, 0x03707344'13198a2e).block(0x85a308d3'243f6a88),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Stream, SeedStreamAndPositionAllMatter) {
  const double first = Stream(1, 2).uniform(3);
  EXPECT_EQ(Stream(1, 2).uniform(3), first);
  EXPECT_NE(Stream(2, 2).uniform(3), first);
  EXPECT_NE(Stream(1, 3).uniform(3), first);
  EXPECT_NE(Stream(1, 2).uniform(4), first);
}

// Mean and variance of n draws must be within five standard errors of their expected values.
template <class Draw>
void expect_moments(Draw draw, double mean, double variance, double fourth_moment) {
  constexpr int n = 100'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double centred = draw(i) - mean;
    sum += centred;
    squares += centred * centred;
  }
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(variance / n));
  EXPECT_NEAR(squares / n, variance, 5 * std::sqrt((fourth_moment - variance * variance) / n));
}

TEST(Stream, UniformIsUniform) {
  const Stream stream(7, 1);
  expect_moments([&](int i) { return stream.uniform(i); }, 0.5, 1.0 / 12, 1.0 / 80);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_GE(stream.uniform(i, -0.5, 0.5), -0.5);
    EXPECT_LT(stream.uniform(i, -0.5, 0.5), 0.5);
  }
}

TEST(Stream, NormalIsNormal) {
  const Stream stream(7, 2);
  expect_moments([&](int i) { return stream.normal(i); }, 0.0, 1.0, 3.0);
}

TEST(Stream, BelowReachesEveryNumberEquallyOften) {
  const Stream stream(7, 3);
  std::vector<int> count(6);
  for (int i = 0; i < 60'000; ++i) ++count.at(stream.below(i, 6));
  for (int times : count) EXPECT_NEAR(times, 10'000, 5 * std::sqrt(10'000));
  EXPECT_EQ(stream.below(0, 1), 0u);
}

TEST(Stream, PermutationHoldsEveryNumberOnce) {
  for (std::uint64_t n : {0, 1, 2, 100}) {
    std::vector<std::uint64_t> order = Stream(5).permutation(n);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), n);
    for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(Stream, APermutationLargerThanMemoryIsRefused) {
  EXPECT_EQ(refusal([] { Stream(5).permutation(std::uint64_t{1} << 61); }),
            "not enough memory for an order of 2305843009213693952 numbers; ask for less");
}

TEST(Stream, EveryPermutationIsEquallyLikely) {
  std::vector<int> count(27);
  for (std::uint64_t stream = 0; stream < 6000; ++stream) {
    const auto order = Stream(5, stream).permutation(3);
    ++count[order[0] * 9 + order[1] * 3 + order[2]];
  }
  std::erase(count, 0);
  ASSERT_EQ(count.size(), 6u);
  for (int times : count) EXPECT_NEAR(times, 1000, 5 * std::sqrt(1000));
}

TEST(NormalQuantile, InvertsTheDistributionFunction) {
  for (double tail = 0.4999; tail > 0x1p-54; tail *= 0.9) {
    const double x = normal_quantile(tail);
    EXPECT_NEAR(0.5 * std::erfc(x / std::sqrt(2.0)) / tail, 1.0, 1e-15 * (20 + x * x)) << "at " << tail;
  }
}

// Golden bits: a change of compiler, flags or machine must not change what a seed means.
TEST(Stream, BitsOfASeedNeverChange) {
  const Stream stream(2024, 11);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(stream.uniform(0)), 0x3fbd3dc610ac1dc0ull);
  std::uint64_t digest = 0;
  for (int i = 0; i < 10'000; ++i) digest = digest * 31 + std::bit_cast<std::uint64_t>(stream.normal(i));
  EXPECT_EQ(digest, 0x5ea791c2c1f1c758ull);
}

}  // namespace
}  // namespace irn
