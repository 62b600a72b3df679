// Branches over the strength of the recurrence, where closed forms say what they must be.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "irn/analysis/branches.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

using Numbers = std::vector<double>;

Eigen::VectorXd value(const ParameterProblem& problem, double p, const Eigen::VectorXd& z) {
  Eigen::VectorXd f(z.size());
  problem.map(p, {z.data(), problem.size}, {f.data(), problem.size});
  return f;
}

TEST(AlongGain, IsTheNetworkAtOneAndForwardAtZero) {
  for (const char* text :
       {"2-4tanh-2", "2-3softplus-3-2identity/lateral", "2-5tanh-1identity/none+1:1=lowrank2"}) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>(text), 3, 2);
    const PlainNetwork plain(network);
    const Numbers x = {0.4, -0.7};
    const Eigen::VectorXd z = as_vector<double>(random_numbers<double>(network.architecture().neurons(), 5));
    const ParameterProblem gain = along_gain<double>(network, x);
    EXPECT_LT((value(gain, 1, z) - plain.map(z, as_vector<double>(x))).norm(), 1e-12) << text;
    const double h = 1e-6;
    Eigen::VectorXd slope(z.size());
    gain.slope(0.6, {z.data(), gain.size}, {slope.data(), gain.size});
    EXPECT_LT(((value(gain, 0.6 + h, z) - value(gain, 0.6 - h, z)) / (2 * h) - slope).norm(), 1e-8) << text;
  }
  const NetworkOf<double> network =
      random_network<double>(from_text<Architecture>("2-4tanh-2identity/lateral"), 3, 2);
  const ParameterProblem gain = along_gain<double>(network, Numbers{1, 1});
  PlainNetwork::Matrix j(6, 6);
  gain.jacobian(0, Numbers(6, 1.0), {j.data(), 36});
  EXPECT_EQ(j.topLeftCorner(4, 4).norm() + j.rightCols(2).norm(), 0);
  EXPECT_GT(j.bottomLeftCorner(2, 4).norm(), 0);
}

// z = tanh(g R z), R the rotation by a: at z = 0 dF/dz has the eigenvalues g e^(+-ia), so a pair crosses at g
// cos a = 1, with g sin a = tan a.
TEST(AlongGain, TwoNeuronsThatTurnAroundEachOtherBeginToCycleWhereTheFormulaSays) {
  for (const double angle : {0.3, 0.8, 1.2}) {
    const double c = std::cos(angle), s = std::sin(angle);
    const NetworkOf<double> network(from_text<Architecture>("1-2tanh"), {0, 0, c, -s, s, c, 0, 0});
    const Branch branch =
        branch_through(along_gain<double>(network, Numbers{0}), 0.1, Numbers{0, 0}, {.low = 0, .high = 4});
    ASSERT_EQ(branch.turnings.size(), 1u) << angle;
    EXPECT_EQ(branch.turnings[0].kind, Turning::hopf);
    EXPECT_NEAR(branch.turnings[0].p, 1 / c, 1e-8);
    EXPECT_NEAR(branch.turnings[0].frequency, std::tan(angle) / (2 * std::numbers::pi), 1e-7);
    for (const BranchPoint& point : branch.points) EXPECT_EQ(point.unstable, point.p < 1 / c ? 0u : 2u);
  }
}

// z = tanh(w z + x): folds at z = -/+ sqrt(1 - 1/w), x = atanh z - w z.
double fold_of(double w) {
  const double s = std::sqrt(1 - 1 / w);
  return w * s - std::atanh(s);
}

// The two folds come closer as w falls to 1 and vanish in the cusp, like 2/3 (w - 1)^(3/2).
TEST(Branches, FoldsVanishInTheCusp) {
  EXPECT_NEAR(fold_of(1.0001) / (2. / 3 * std::pow(1e-4, 1.5)), 1, 1e-3);
  for (const double w : {0.5, 0.99, 1.01, 1.2, 2.0, 5.0}) {
    const NetworkOf<double> network(from_text<Architecture>("1-1tanh"), {1, w, 0});
    const Branch branch =
        branch_through(along_input<double>(network, Numbers{0}, 0), -4, Numbers{-1}, {.low = -4, .high = 4});
    EXPECT_EQ(branch.first, BranchEnd::range);
    EXPECT_EQ(branch.last, BranchEnd::range);
    ASSERT_EQ(branch.turnings.size(), w > 1 ? 2u : 0u) << w;
    for (const TurningPoint& fold : branch.turnings) {
      EXPECT_EQ(fold.kind, Turning::fold) << w;
      EXPECT_NEAR(std::abs(fold.p), fold_of(w), 1e-9) << w;
    }
    for (const BranchPoint& point : branch.points)
      EXPECT_EQ(point.stable(), w * (1 - point.state[0] * point.state[0]) < 1) << w;
  }
}

// For random networks: every point is an equilibrium, and nothing changes except at a turning point.
TEST(Branches, BetweenTurningPointsNothingChanges) {
  for (const char* text : {"2-5tanh-2identity", "2-4-3tanh/lateral", "2-6tanh-1identity/none+1:1=lowrank2"})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const NetworkOf<double> network = random_network<double>(from_text<Architecture>(text), seed, 4);
      const PlainNetwork plain(network);
      const Numbers x = {0.3, -0.2}, direction = {1, 0.5};
      const auto input = [&](double p) {
        return Eigen::VectorXd{{x[0] + p * direction[0], x[1] + p * direction[1]}};
      };
      const Eigen::VectorXd start = plain.flow_limit(input(-3));
      const Branch branch = branch_through(along_direction<double>(network, x, direction), -3,
                                           {start.data(), std::size_t(start.size())}, {.low = -3, .high = 3});
      for (const BranchPoint& point : branch.points)
        EXPECT_LT(plain.residual(as_vector<double>(point.state), input(point.p)), 1e-8) << text << seed;
      for (std::size_t k = 0; k + 1 < branch.points.size(); ++k) {
        const bool turning = std::any_of(branch.turnings.begin(), branch.turnings.end(),
                                         [&](const TurningPoint& t) { return t.before == k; });
        EXPECT_TRUE(turning || branch.points[k].unstable == branch.points[k + 1].unstable) << text << seed;
      }
    }
}

}  // namespace
}  // namespace irn
