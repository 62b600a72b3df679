#include "irn/analysis/branches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "irn/base/error.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

// z = tanh(w z + x): it folds where 1 = w (1 - z^2), at x = atanh(z) - w z.
NetworkOf<double> neuron(double w) {
  return NetworkOf<double>(from_text<Architecture>("1-1tanh"), {1, w, 0});
}
double fold_state(double w) { return std::sqrt(1 - 1 / w); }
double fold_input(double w) {
  return std::atanh(fold_state(w)) - w * fold_state(w);
}  // on the upper branch, below 0

std::size_t count(const Branch& branch, Turning kind) {
  return static_cast<std::size_t>(std::count_if(branch.turnings.begin(), branch.turnings.end(),
                                                [&](const TurningPoint& t) { return t.kind == kind; }));
}

TEST(Branches, ANeuronThatExcitesItselfIsAnSWithTwoFolds) {
  for (const double w : {1.5, 2.0, 4.0}) {
    const ParameterProblem problem = along_input<double>(neuron(w), std::vector<double>{0.3}, 0);
    const std::vector<Branch> all = branches(problem, {.low = -3, .high = 3});
    ASSERT_EQ(all.size(), 1u) << w;
    const Branch& s = all[0];
    EXPECT_EQ(s.first, BranchEnd::range);
    EXPECT_EQ(s.last, BranchEnd::range);
    EXPECT_NEAR(std::abs(s.points.front().p), 3, 1e-12);
    EXPECT_NEAR(s.points.front().p, -s.points.back().p, 1e-12);
    ASSERT_EQ(s.turnings.size(), 2u) << w;
    for (const TurningPoint& t : s.turnings) {
      EXPECT_EQ(t.kind, Turning::fold);
      EXPECT_NEAR(std::abs(t.p), -fold_input(w), 1e-8);
      EXPECT_NEAR(std::abs(t.state[0]), fold_state(w), 1e-4);
      EXPECT_LT(t.before + 1, s.points.size());
    }
    // Stable outside of the folds, unstable between them; every point is an equilibrium.
    for (const BranchPoint& point : s.points) {
      const double z = point.state[0];
      EXPECT_NEAR(std::tanh(w * z + point.p), z, 1e-9);
      if (std::abs(std::abs(z) - fold_state(w)) > 1e-3) {
        EXPECT_EQ(point.stable(), std::abs(z) > fold_state(w));
      }
    }
  }
}

TEST(Branches, OfOneEquilibriumThereIsOneWithoutTurnings) {
  const std::vector<Branch> all =
      branches(along_input<double>(neuron(0.9), std::vector<double>{0}, 0), {.low = -2, .high = 2});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].turnings.empty());
  for (const BranchPoint& point : all[0].points) EXPECT_TRUE(point.stable());
}

// tanh(p z): zero always, and two more from p = 1 on.
TEST(Branches, SymmetryMakesBranchesThatCross) {
  const std::vector<Branch> all =
      branches(along_parameter<double>(neuron(2), std::vector<double>{0}, 1), {.low = 0.2, .high = 3});
  ASSERT_EQ(all.size(), 2u);
  for (const Branch& branch : all) {
    ASSERT_EQ(count(branch, Turning::crossing), 1u);
    EXPECT_EQ(branch.turnings.size(), 1u);
    EXPECT_NEAR(branch.turnings[0].p, 1, 1e-3);
  }
}

// A turning pair tanh(p z0 - w z1), tanh(w z0 + p z1) has eigenvalues p - 1 +- i w at zero.
TEST(Branches, APairThatBeginsToCycleIsAHopfPoint) {
  constexpr double w = 2;
  ParameterProblem problem{.size = 2};
  const auto inner = [](double p, std::span<const double> z) {
    return std::array{p * z[0] - w * z[1], w * z[0] + p * z[1]};
  };
  problem.map = [=](double p, std::span<const double> z, std::span<double> f) {
    for (std::size_t i = 0; i < 2; ++i) f[i] = std::tanh(inner(p, z)[i]);
  };
  problem.jacobian = [=](double p, std::span<const double> z, std::span<double> j) {
    const double m[2][2] = {{p, -w}, {w, p}};
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t k = 0; k < 2; ++k)
        j[2 * i + k] = m[i][k] * (1 - std::pow(std::tanh(inner(p, z)[i]), 2));
  };
  problem.slope = [=](double p, std::span<const double> z, std::span<double> out) {
    for (std::size_t i = 0; i < 2; ++i) out[i] = z[i] * (1 - std::pow(std::tanh(inner(p, z)[i]), 2));
  };
  const Branch branch = branch_through(problem, 0.5, std::vector<double>{0, 0}, {.low = 0, .high = 2});
  ASSERT_EQ(branch.turnings.size(), 1u);
  EXPECT_EQ(branch.turnings[0].kind, Turning::hopf);
  EXPECT_NEAR(branch.turnings[0].p, 1, 1e-9);
  EXPECT_NEAR(branch.turnings[0].frequency, w / (2 * std::numbers::pi), 1e-9);
  EXPECT_EQ(branch.points.back().unstable, 2u);
}

// An isolated ring of equilibria: z = z - (z^2 + p^2 - 1) z' ... in one unknown, F(p, z) = z + 0.3 (1 - z^2 -
// p^2).
TEST(Branches, ARingOfEquilibriaCloses) {
  ParameterProblem problem{.size = 1};
  problem.map = [](double p, std::span<const double> z, std::span<double> f) {
    f[0] = z[0] + 0.3 * (1 - z[0] * z[0] - p * p);
  };
  problem.jacobian = [](double, std::span<const double> z, std::span<double> j) { j[0] = 1 - 0.6 * z[0]; };
  problem.slope = [](double p, std::span<const double>, std::span<double> out) { out[0] = -0.6 * p; };
  const Branch branch = branch_through(problem, 0, std::vector<double>{1}, {.low = -2, .high = 2});
  EXPECT_EQ(branch.last, BranchEnd::closed);
  EXPECT_EQ(count(branch, Turning::fold), 2u);
  for (const TurningPoint& t : branch.turnings) EXPECT_NEAR(std::abs(t.p), 1, 1e-8);
}

TEST(Branches, ProblemsOfNetworksAreTheNetwork) {
  const NetworkOf<double> network =
      random_network<double>(from_text<Architecture>("3-4tanh-3-2/full=lowrank2"), 4, 1.5);
  const PlainNetwork plain(network);
  const std::vector<double> x = random_numbers<double>(3, 1), z = random_numbers<double>(9, 2),
                            v = {0.3, -0.5, 0.1};
  std::vector<double> f(9), above(9), below(9), slope(9);
  const auto check = [&](const ParameterProblem& problem, double p, const Eigen::VectorXd& expected) {
    problem.map(p, z, f);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(f[i], expected[Eigen::Index(i)], 1e-13);
    problem.map(p + 1e-5, z, above), problem.map(p - 1e-5, z, below), problem.slope(p, z, slope);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(slope[i], (above[i] - below[i]) / 2e-5, 1e-9);
  };
  const Eigen::VectorXd at = as_vector<double>(x), state = as_vector<double>(z);
  check(along_direction<double>(network, x, v), 0.7, plain.map(state, at + 0.7 * as_vector<double>(v)));
  check(along_input<double>(network, x, 1), x[1], plain.map(state, at));
  for (std::size_t k = 0; k < network.parameters().size(); ++k)
    check(along_parameter<double>(network, x, k), network.parameters()[k], plain.map(state, at));
}

TEST(Branches, WhatMakesNoSenseIsRefused) {
  const std::vector<double> x = {0};
  EXPECT_THROW(along_input<double>(neuron(2), x, 1), Error);
  EXPECT_THROW(along_parameter<double>(neuron(2), x, 3), Error);
  const ParameterProblem problem = along_input<double>(neuron(2), x, 0);
  EXPECT_THROW(branch_through(problem, 0, x, {.low = 1, .high = 1}), Error);
  EXPECT_THROW(branch_through(problem, 0, std::vector<double>{0, 0}, {}), Error);
}

}  // namespace
}  // namespace irn
