#include "irn/analysis/trajectory.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fixed_point_catalogue.h"

namespace irn {
namespace {

// dz/dt = (w - 1) z + 1: z = (1 - e^-(1 - w) t) / (1 - w).
TEST(Trajectory, FollowsTheExponential) {
  const Problem problem{.size = 1, .map = [](std::size_t, std::span<const double> z, std::span<double> f) {
                          f[0] = 0.5 * z[0] + 1;
                        }};
  const Trajectory path = trajectory(problem, 0, {}, {.error = 1e-9});
  ASSERT_GT(path.times.size(), 10u);
  EXPECT_EQ(path.times.front(), 0);
  EXPECT_TRUE(path.at_rest);
  for (std::size_t k = 0; k < path.times.size(); ++k) {
    const double left = std::exp(-0.5 * path.times[k]);
    EXPECT_NEAR(path.state(k)[0], 2 * (1 - left), 1e-8);
    EXPECT_NEAR(path.residuals[k], left, 1e-8);
  }
}

TEST(Trajectory, EndsWhereTheCatalogueSays) {
  for (const FixedPointCase& c : fixed_point_catalogue()) {
    // "large numbers" take long to settle to 1e-10 of a million.
    const Trajectory path = trajectory(c.problem, 0, {}, {.end = 30000, .error = 1e-7, .at_rest = 1e-9});
    EXPECT_EQ(path.at_rest, c.flow_settles) << c.name;
    for (std::size_t i = 0; c.flow_settles && i < c.problem.size; ++i)
      EXPECT_NEAR(path.last()[i], c.equilibria[0][i], 2e-6 * std::max(1.0, std::abs(c.equilibria[0][i])))
          << c.name;
  }
}

// Decays like e^-t however fast it turns, and a single neuron to the last digits: errors do not outweigh the
// damping.
TEST(Trajectory, ComesToRestHoweverFastItTurns) {
  for (const double w : {0., 16., 60.}) {
    const Problem turning{.size = 2, .map = [w](std::size_t, std::span<const double> z, std::span<double> f) {
                            f[0] = 1 - w * z[1], f[1] = w * z[0];
                          }};
    EXPECT_TRUE(trajectory(turning, 0, {}, {.end = 100, .steps = 200000}).at_rest) << w;
  }
}

TEST(Trajectory, AStartOfTheWrongSizeIsRefused) {
  EXPECT_THROW(trajectory(catalogue_detail::limit_cycle(), 0, std::vector<double>{1}), std::runtime_error);
}

}  // namespace
}  // namespace irn
