#include "irn/kernels/oscillator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "irn/kernels/targets_testing-inl.h"

namespace irn::kernels {
namespace {

OscillatorPlan usual() {
  return {.seed = 7, .first = 0, .points = 100, .substep = 0.1, .doublings = 0, .spread = 2};
}

std::vector<std::uint64_t> range(std::size_t count) {
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  return index;
}

TEST(Philox, EveryTargetReproducesThePublishedVectors) {
  // Random123 1.14, tests/kat_vectors, philox4x32 10.
  struct Known {
    PhiloxWords counter;
    std::uint64_t key;
    PhiloxWords out;
  };
  const Known known[] = {{{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                         {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                          0xffffffffffffffff,
                          {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                         {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                          0x299f31d0a4093822,
                          {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for_each_target([&](const char* target) {
    for (const Known& k : known) {
      PhiloxWords out;
      philox4x32({&k.counter, 1}, k.key, &out);
      EXPECT_EQ(out, k.out) << target;
    }
  });
}

// A plain version of the mapping from bits to parameters.
OscillatorParameters plain_parameters(const OscillatorPlan& plan, std::uint64_t index) {
  const std::uint64_t counter = plan.first + index;
  const PhiloxWords c = {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                         static_cast<std::uint32_t>(oscillator_stream), 0};
  PhiloxWords w;
  philox4x32({&c, 1}, plan.seed, &w);
  const double radius = plan.spread * std::sqrt(-2 * std::log((w[0] + 0.5) * 0x1p-32));
  const double angle = (2.0 * (w[1] & 0x3FFFFFFF) + 1 - 0x1p30) * (M_PI * 0x1p-32);
  const double along = (w[1] >> 31 ? -1 : 1) * radius * std::cos(angle), across = radius * std::sin(angle);
  const bool upright = w[1] >> 30 & 1;
  return {upright ? across : along, upright ? along : across, 1 + (w[2] + 0.5) * 0x1p-32,
          (w[3] + 0.5) * 0x1p-31};
}

TEST(OscillatorKernel, EveryTargetDrawsTheParametersOfThePlainMapping) {
  OscillatorPlan plan = usual();
  plan.first = 0xFFFFFFF0;  // so that the counter's second word changes
  const std::vector<std::uint64_t> index = range(1001);
  std::vector<OscillatorParameters> drawn(index.size());
  for_each_target([&](const char* target) {
    oscillator_parameters(plan, index, drawn.data());
    for (std::size_t i = 0; i < index.size(); ++i) {
      const OscillatorParameters want = plain_parameters(plan, i);
      EXPECT_NEAR(drawn[i].x0, want.x0, 1e-14) << target;
      EXPECT_NEAR(drawn[i].v0, want.v0, 1e-14) << target;
      EXPECT_EQ(drawn[i].w0, want.w0) << target;
      EXPECT_EQ(drawn[i].d, want.d) << target;
    }
  });
}

// The closed forms of the three regimes, in long double.
long double closed_form(const OscillatorParameters& p, long double t) {
  const long double d = p.d, w2 = static_cast<long double>(p.w0) * p.w0 - d * d;
  const long double slope = p.v0 + d * p.x0;
  if (w2 == 0) return std::exp(-d * t) * (p.x0 + slope * t);
  const long double w = std::sqrt(std::abs(w2));
  if (w2 > 0) return std::exp(-d * t) * (p.x0 * std::cos(w * t) + slope * std::sin(w * t) / w);
  return std::exp(-d * t) * (p.x0 * std::cosh(w * t) + slope * std::sinh(w * t) / w);
}

template <class T>
double worst_error(const OscillatorPlan& plan, std::size_t count) {
  const std::vector<std::uint64_t> index = range(count);
  std::vector<T> x(count * plan.points);
  std::vector<OscillatorParameters> p(count);
  oscillator_rows(plan, index, x.data());
  oscillator_parameters(plan, index, p.data());
  const double h = std::ldexp(plan.substep, plan.doublings);
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < plan.points; ++k) {
      const long double want = closed_form(p[i], static_cast<long double>(h) * static_cast<long double>(k));
      worst = std::max(worst, std::abs(static_cast<double>(x[i * plan.points + k] - want)));
    }
  return worst;
}

TEST(OscillatorKernel, EveryTargetFollowsTheClosedFormToRounding) {
  // |x| reaches about 10, whose last place is 9.5e-7 in float and 1.8e-15 in double. There are thirteen
  // blocks in T, and a propagator whose rounding in double (2e-16) acts on the phase a hundred times.
  for_each_target([&](const char* target) {
    EXPECT_LT(worst_error<float>(usual(), 5000), 5e-6) << target;
    EXPECT_LT(worst_error<double>(usual(), 5000), 1e-13) << target;
  });
}

TEST(OscillatorKernel, LargeTimeStepsAreAsAccurateAsTheirDoublingsAllow) {
  for (int doublings = 1; doublings <= 10; ++doublings) {
    OscillatorPlan plan = usual();
    plan.doublings = doublings;
    plan.points = 20;
    EXPECT_LT(worst_error<double>(plan, 500), 1e-14 * std::ldexp(1.0, doublings)) << doublings;
  }
}

template <class T>
void expect_same_bits_in_any_layout(const char* target) {
  const OscillatorPlan plan = usual();
  const std::vector<std::uint64_t> index = {5, 3, 1000000007, 3, 0,  77, 12, 9,  8, 1,
                                            2, 4, 6,          7, 10, 11, 13, 14, 15};
  std::vector<T> alone(plan.points), rows(index.size() * plan.points);
  oscillator_rows(plan, index, rows.data());
  for (const std::size_t width : {19u, 20u, 24u, 32u, 64u}) {
    std::vector<T> lanes(width * plan.points, T(99));
    oscillator_lanes(plan, index, width, lanes.data());
    for (std::size_t lane = 0; lane < width; ++lane) {
      if (lane < index.size()) oscillator_rows(plan, {&index[lane], 1}, alone.data());
      for (std::size_t k = 0; k < plan.points; ++k) {
        const T want = lane < index.size() ? alone[k] : T(0);
        ASSERT_EQ(std::memcmp(&lanes[k * width + lane], &want, sizeof(T)), 0) << target << width << lane << k;
        const T row = lane < index.size() ? rows[lane * plan.points + k] : want;
        ASSERT_EQ(row, want) << target << lane << k;
      }
    }
  }
}

TEST(OscillatorKernel, ASampleHasTheSameBitsAloneInAnyLaneAndAsARow) {
  for_each_target([&](const char* target) {
    expect_same_bits_in_any_layout<float>(target);
    expect_same_bits_in_any_layout<double>(target);
  });
}

TEST(OscillatorKernel, NoPointIsWrittenBeyondAnyNumberOfPoints) {
  const std::vector<std::uint64_t> index = range(5);
  for (std::size_t points = 1; points <= 17; ++points) {
    OscillatorPlan plan = usual();
    plan.points = points;
    std::vector<float> lanes(points * 16 + 1, 99.0f), rows(points * 5 + 1, 99.0f);
    oscillator_lanes(plan, index, 16, lanes.data());
    oscillator_rows(plan, index, rows.data());
    EXPECT_EQ(lanes.back(), 99.0f);
    EXPECT_EQ(rows.back(), 99.0f);
    for (std::size_t k = 0; k < points; ++k) EXPECT_EQ(lanes[k * 16 + 4], rows[4 * points + k]);
  }
}

}  // namespace
}  // namespace irn::kernels
