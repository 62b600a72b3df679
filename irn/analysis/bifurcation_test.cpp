#include "irn/analysis/bifurcation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "irn/base/error.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

// A map of one unknown with its derivatives, for curves that are known by formula.
class OneUnknown : public Family {
 public:
  using Function = double (*)(double z, double p);
  OneUnknown(Function f, Function by_z, Function by_p) : f_(f), by_z_(by_z), by_p_(by_p) {}
  std::size_t size() const override { return 1; }
  std::vector<std::vector<std::size_t>> groups() const override { return {{0}}; }
  void evaluate(std::span<const double> z, double p, std::span<double> value, std::span<double> jacobian,
                std::span<double> slope) const override {
    value[0] = f_(z[0], p), jacobian[0] = by_z_(z[0], p), slope[0] = by_p_(z[0], p);
  }

 private:
  Function f_, by_z_, by_p_;
};

std::vector<SpecialPoint> of_kind(const std::vector<Branch>& branches, Special kind) {
  std::vector<SpecialPoint> found;
  for (const Branch& branch : branches)
    for (const SpecialPoint& special : branch.specials)
      if (special.kind == kind) found.push_back(special);
  return found;
}

// z = tanh(w z + b): inputs are a copy of b.
NetworkOf<double> one_neuron(double w, double b) {
  return NetworkOf<double>(from_text<Architecture>("1-1tanh"), {1, w, b});
}

// A fold is where w (1 - z^2) = 1: at z = -/+ sqrt(1 - 1/w), b = atanh z - w z.
double fold_of(double w) {
  const double s = std::sqrt(1 - 1 / w);
  return w * s - std::atanh(s);
}

TEST(Bifurcation, TheFoldsOfOneNeuronAreWhereTheFormulaSays) {
  for (const double w : {1.01, 1.2, 2.0, 5.0}) {
    const auto family = family_over_input(one_neuron(w, 0), std::vector{0.0}, std::vector{1.0});
    const std::vector<Branch> branches = bifurcation(*family, {{-3, {-1}}, {3, {1}}}, {.low = -4, .high = 4});
    ASSERT_EQ(branches.size(), 1u) << "both starts lie on one curve";
    const std::vector<SpecialPoint>& folds = branches[0].specials;
    ASSERT_EQ(folds.size(), 2u) << w;
    const double s = std::sqrt(1 - 1 / w);
    for (const SpecialPoint& fold : folds) {
      EXPECT_EQ(fold.kind, Special::fold);
      EXPECT_NEAR(std::abs(fold.p), fold_of(w), 1e-9) << w;
      EXPECT_NEAR(fold.z[0], fold.p > 0 ? -s : s, 1e-6) << w;
    }
    EXPECT_LT(folds[0].p * folds[1].p, 0);
    EXPECT_EQ(branches[0].first, BranchEnd::range);
    EXPECT_EQ(branches[0].last, BranchEnd::range);
  }
}

TEST(Bifurcation, PointsAreEquilibriaAndKnowWhetherTheyAttract) {
  const double w = 3;
  const auto family = family_over_input(one_neuron(w, 0), std::vector{0.0}, std::vector{1.0});
  const std::vector<Branch> branches = bifurcation(*family, {{0, {0.0}}}, {.low = -2, .high = 2});
  ASSERT_EQ(branches.size(), 1u);
  const std::vector<BranchPoint>& points = branches[0].points;
  EXPECT_NEAR(std::min(points.front().p, points.back().p), -2, 1e-12) << "the ends of the range are reached";
  EXPECT_NEAR(std::max(points.front().p, points.back().p), 2, 1e-12);
  std::size_t unstable = 0;
  for (const BranchPoint& point : points) {
    EXPECT_NEAR(point.z[0], std::tanh(w * point.z[0] + point.p), 1e-9);
    EXPECT_EQ(point.stable(), w * (1 - point.z[0] * point.z[0]) < 1);
    unstable += point.stable() ? 0 : 1;
  }
  EXPECT_GT(unstable, 10u);
}

// The two folds come closer as w falls to 1 and vanish in the cusp, like (2/3)^(1) (w - 1)^(3/2).
TEST(Bifurcation, FoldsVanishInTheCusp) {
  for (const double w : {0.5, 0.99}) {
    const auto family = family_over_input(one_neuron(w, 0), std::vector{0.0}, std::vector{1.0});
    const std::vector<Branch> branches = bifurcation(*family, {{0, {0.0}}}, {.low = -2, .high = 2});
    ASSERT_EQ(branches.size(), 1u);
    EXPECT_TRUE(branches[0].specials.empty()) << w;
    EXPECT_TRUE(std::all_of(branches[0].points.begin(), branches[0].points.end(),
                            [](const BranchPoint& point) { return point.stable(); }));
  }
  EXPECT_NEAR(fold_of(1.0001) / (2. / 3 * std::pow(1e-4, 1.5)), 1, 1e-3);
}

// Over the weight itself: with b = 0 the stem z = 0 gives way at w = 1 to a curve that crosses it there; with b > 0 they come apart.
TEST(Bifurcation, APitchforkAndWhatABiasMakesOfIt) {
  const std::size_t w = 1;  // parameters: input weight, w, b
  const auto pitchfork = family_over_parameter(one_neuron(7, 0), std::vector{0.0}, w);
  const BifurcationOptions range{.low = 0.3, .high = 2.3};
  const std::vector<Branch> forked = bifurcation(*pitchfork, {{0.5, {0.0}}, {2, {0.9}}, {2, {-0.9}}}, range);
  ASSERT_EQ(forked.size(), 2u);
  const std::vector<SpecialPoint> crossing = of_kind(forked, Special::branch);
  ASSERT_EQ(crossing.size(), 1u);
  EXPECT_NEAR(crossing[0].p, 1, 1e-9);
  const std::vector<SpecialPoint> turn = of_kind(forked, Special::fold);
  ASSERT_EQ(turn.size(), 1u);
  EXPECT_NEAR(turn[0].p, 1, 1e-6);

  const double b = fold_of(1.5);  // so that there is a fold at w = 1.5
  const auto apart = family_over_parameter(one_neuron(7, b), std::vector{0.0}, w);
  const std::vector<Branch> two = bifurcation(*apart, {{2.2, {0.9}}, {2.2, {-0.9}}}, range);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_TRUE(two[0].specials.empty());
  ASSERT_EQ(two[1].specials.size(), 1u);
  EXPECT_EQ(two[1].specials[0].kind, Special::fold);
  EXPECT_NEAR(two[1].specials[0].p, 1.5, 1e-9);
}

// z = tanh(g R z), R the rotation by a: at z = 0 dF/dz has the eigenvalues g e^(+-ia), so a pair crosses at g cos a = 1, with g sin a = tan a.
TEST(Bifurcation, TwoNeuronsThatTurnAroundEachOtherBeginToCycleWhereTheFormulaSays) {
  for (const double angle : {0.3, 0.8, 1.2}) {
    const double c = std::cos(angle), s = std::sin(angle);
    const NetworkOf<double> network(from_text<Architecture>("1-2tanh"), {0, 0, c, -s, s, c, 0, 0});
    const auto family = family_over_gain(network, std::vector{0.0});
    const std::vector<Branch> branches = bifurcation(*family, {{0, {0.0, 0.0}}}, {.low = 0, .high = 4});
    ASSERT_EQ(branches.size(), 1u);
    ASSERT_EQ(branches[0].specials.size(), 1u) << angle;
    const SpecialPoint& hopf = branches[0].specials[0];
    EXPECT_EQ(hopf.kind, Special::hopf);
    EXPECT_NEAR(hopf.p, 1 / c, 1e-8);
    EXPECT_NEAR(hopf.frequency, std::tan(angle), 1e-7);
    for (const BranchPoint& point : branches[0].points) EXPECT_EQ(point.unstable, point.p < 1 / c ? 0u : 2u);
    EXPECT_LT(branches[0].points[hopf.after].p, hopf.p);
    EXPECT_GT(branches[0].points[hopf.after + 1].p, hopf.p);
  }
}

// z^2 + p^2 = 1.
TEST(Bifurcation, ACurveThatClosesIsFollowedOnce) {
  const OneUnknown circle([](double z, double p) { return z + 1 - z * z - p * p; },
                          [](double z, double) { return 1 - 2 * z; },
                          [](double, double p) { return -2 * p; });
  const std::vector<Branch> branches = bifurcation(circle, {{0, {1.0}}, {0, {-1.0}}}, {.low = -2, .high = 2});
  ASSERT_EQ(branches.size(), 1u) << "the second start lies on it";
  EXPECT_EQ(branches[0].last, BranchEnd::closed);
  const std::vector<SpecialPoint> folds = of_kind(branches, Special::fold);
  ASSERT_EQ(folds.size(), 2u);
  EXPECT_NEAR(std::abs(folds[0].p), 1, 1e-9);
  EXPECT_NEAR(folds[0].p + folds[1].p, 0, 1e-9);
}

// Without end: z = p / (1 - p) leaves at p = 1.
TEST(Bifurcation, ACurveWithoutEndIsGivenUp) {
  const OneUnknown pole([](double z, double p) { return p * z + p; }, [](double, double p) { return p; },
                        [](double z, double) { return z + 1; });
  const std::vector<Branch> branches =
      bifurcation(pole, {{0, {0.0}}}, {.low = -1, .high = 2, .most_points = 300});
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_NE(branches[0].last, BranchEnd::range);
  for (const BranchPoint& point : branches[0].points) EXPECT_LT(point.p, 1);
}

TEST(Bifurcation, StartsThatAreNoneAddNothing) {
  const auto family = family_over_input(one_neuron(0.5, 0), std::vector{0.0}, std::vector{1.0});
  EXPECT_TRUE(bifurcation(*family, {{5, {0.0}}}, {.low = 0, .high = 1}).empty());
  EXPECT_TRUE(bifurcation(*family, {{0.5, {NAN}}}, {.low = 0, .high = 1}).empty());
  EXPECT_THROW(bifurcation(*family, {}, {.low = 1, .high = 1}), Error);
}

// Over random networks: every point is an equilibrium, and nothing changes but at a special point.
TEST(Bifurcation, BetweenSpecialPointsNothingChanges) {
  for (const char* text : {"2-5tanh-2identity", "2-4-3tanh/lateral", "2-6tanh-1identity/none+1:1=lowrank2"})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const NetworkOf<double> network = random_network<double>(from_text<Architecture>(text), seed, 4);
      const PlainNetwork plain(network);
      const std::vector<double> x = {0.3, -0.2}, direction = {1, 0.5};
      const auto family = family_over_input(network, x, direction);
      const auto input = [&](double p) {
        return Eigen::VectorXd{{x[0] + p * direction[0], x[1] + p * direction[1]}};
      };
      const Eigen::VectorXd start = plain.flow_limit(input(-3));
      const std::vector<Branch> branches =
          bifurcation(*family, {{-3, {start.begin(), start.end()}}}, {.low = -3, .high = 3});
      for (const Branch& branch : branches) {
        for (const BranchPoint& point : branch.points)
          EXPECT_LT(plain.residual(as_vector<double>(point.z), input(point.p)), 1e-8) << text << seed;
        for (std::size_t k = 0; k + 1 < branch.points.size(); ++k) {
          const bool special = std::any_of(branch.specials.begin(), branch.specials.end(),
                                           [&](const SpecialPoint& s) { return s.after == k; });
          EXPECT_TRUE(special || branch.points[k].unstable == branch.points[k + 1].unstable) << text << seed;
        }
        for (const SpecialPoint& special : branch.specials) {
          if (special.kind != Special::fold) continue;
          const Eigen::VectorXd z = as_vector<double>(special.z);
          const Eigen::MatrixXd m = Eigen::MatrixXd::Identity(z.size(), z.size()) - plain.jacobian(z);
          EXPECT_LT(Eigen::JacobiSVD<Eigen::MatrixXd>(m).singularValues().minCoeff(), 1e-5) << text << seed;
        }
      }
    }
}

}  // namespace
}  // namespace irn
