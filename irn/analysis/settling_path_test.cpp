#include "irn/analysis/settling_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "irn/analysis/network_problem.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

using Numbers = std::vector<double>;
using In = std::span<const double>;
using Out = std::span<double>;

template <class Map>
SettlingPath settling_path(const Map& map, const Numbers& start, const PathOptions& options = {}) {
  const Problem problem{.size = start.size(), .map = [&](std::size_t, In z, Out value) { map(z, value); }};
  return irn::settling_path(problem, 0, start, options);
}

TEST(SettlingPath, ALoneNeuronSettlesLikeTheExponential) {
  const SettlingPath path = settling_path([](In, Out value) { value[0] = 1; }, Numbers{0});
  EXPECT_EQ(path.end, PathEnd::settled);
  EXPECT_NEAR(path.rate, 1, 1e-2);
  EXPECT_NEAR(path.way.times.back(), std::log(1e8), 1);
}

// dr/dt = r (1 - r^2), angle at speed w: a cycle of radius 1 and period 2 pi / w.
TEST(SettlingPath, ACycleHasItsPeriodAndAmplitude) {
  for (const double w : {0.05, 1.0, 7.0}) {
    const auto map = [w](In z, Out value) {
      const double g = 1 - z[0] * z[0] - z[1] * z[1];
      value[0] = z[0] + g * z[0] - w * z[1], value[1] = z[1] + g * z[1] + w * z[0];
    };
    const SettlingPath path = settling_path(map, Numbers{0.1, 0});
    EXPECT_EQ(path.end, PathEnd::cycles) << w;
    EXPECT_NEAR(path.period * w / (2 * std::numbers::pi), 1, 1e-4) << w;
    EXPECT_NEAR(path.amplitude, 1, 1e-3) << w;
  }
}

// A figure of eight passes the middle of its wider neuron twice in a period, once in each direction; the
// other neuron, like x = cos 2wt, passes its middle once in half a period.
TEST(SettlingPath, APeriodMayPassTheSectionSeveralTimes) {
  const auto map = [](In z, Out value) {  // two oscillators; the second has half the speed and half the width
    const auto turn = [&](std::size_t i, double radius, double w) {
      const double g = 1 - (z[i] * z[i] + z[i + 1] * z[i + 1]) / (radius * radius);
      value[i] = z[i] + g * z[i] - w * z[i + 1], value[i + 1] = z[i + 1] + g * z[i + 1] + w * z[i];
    };
    turn(0, 1, 2), turn(2, 0.5, 1);
  };
  const SettlingPath path = settling_path(map, Numbers{1, 0, 0.5, 0});
  EXPECT_EQ(path.end, PathEnd::cycles);
  EXPECT_NEAR(path.period, 2 * std::numbers::pi, 1e-3);
  EXPECT_LT(path.widest, 2u);
}

TEST(SettlingPath, TwoFrequenciesThatNeverMeetAreNoCycle) {
  const auto map = [](In z, Out value) {
    const auto turn = [&](std::size_t i, double w) {
      const double g = 1 - z[i] * z[i] - z[i + 1] * z[i + 1];
      value[i] = z[i] + g * z[i] - w * z[i + 1], value[i + 1] = z[i + 1] + g * z[i + 1] + w * z[i];
    };
    turn(0, 1), turn(2, std::numbers::phi);
  };
  EXPECT_EQ(settling_path(map, Numbers{1, 0, 1, 0}).end, PathEnd::wanders);
}

TEST(SettlingPath, WhatGoesOnInOneDirectionRunsAway) {
  EXPECT_EQ(settling_path([](In z, Out value) { value[0] = z[0] + 5e-4; }, Numbers{0}).end,
            PathEnd::runs_away);
  EXPECT_EQ(settling_path([](In z, Out value) { value[0] = 2 * z[0]; }, Numbers{1}).end, PathEnd::runs_away);
  EXPECT_EQ(settling_path([](In z, Out value) { value[0] = z[0] + z[0] * z[0]; }, Numbers{1}).end,
            PathEnd::runs_away)
      << "infinite at t = 1";
}

// dz/dt = -z / 200.
TEST(SettlingPath, WhatIsSlowSaysHowLongItWouldTake) {
  const SettlingPath path =
      settling_path([](In z, Out value) { value[0] = z[0] - z[0] / 200; }, Numbers{1}, {.watched = 200});
  EXPECT_EQ(path.end, PathEnd::slow);
  EXPECT_NEAR(path.rate, 0.005, 1e-4);
  EXPECT_NEAR(path.way.times.back() + path.time_left, 200 * std::log(1 / 200. / 1e-8), 50);
}

TEST(SettlingPath, ASpiralThatFallsSlowlyIsNoCycle) {
  const auto map = [](In z, Out value) {
    value[0] = 0.998 * z[0] - 3 * z[1], value[1] = 0.998 * z[1] + 3 * z[0];
  };
  const SettlingPath path = settling_path(map, Numbers{1, 0}, {.longest = 50});
  EXPECT_EQ(path.end, PathEnd::slow);
  EXPECT_NEAR(path.rate, 0.002, 2e-4);
}

TEST(SettlingPath, ANetworkEndsWhereItsFlowDoes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const NetworkOf<float> network = random_network<float>(from_text<Architecture>("3-6-2"), seed, 3);
    const PlainNetwork plain(network);
    const std::vector<float> x = {0.3f, -1, 0.5f};
    const SettlingPath path =
        irn::settling_path(network_problem<float>(network, x), 0, {}, {.tolerance = 1e-10});
    ASSERT_EQ(path.end, PathEnd::settled);
    const Eigen::VectorXd limit = plain.flow_limit(as_vector<float>(x));
    EXPECT_LT((as_vector<double>(path.way.last()) - limit).norm(), 1e-8);
  }
}

}  // namespace
}  // namespace irn
