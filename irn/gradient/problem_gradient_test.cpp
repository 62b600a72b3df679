// Solutions of the caller's problems, differentiated by their parameters: finite differences, folds, what is
// left out.
#include "irn/gradient/problem_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "tests/support/fixed_point_catalogue.h"
#include "tests/support/problem_rows.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;

// (1 + p_0) F(z) + (p_1, p_2, ...), for parameters p that may change from one search to the next.
Problem with_parameters(const Problem& f, const Values& p) {
  const std::size_t n = f.size;
  return {.size = n,
          .map =
              [f, &p, n](std::size_t i, auto z, auto out) {
                f.map(i, z, out);
                for (std::size_t k = 0; k < n; ++k) out[k] = (1 + p[0]) * out[k] + p[1 + k];
              },
          .jacobian =
              [f, &p](std::size_t i, auto z, auto jacobian) {
                f.jacobian(i, z, jacobian);
                for (double& v : jacobian) v *= 1 + p[0];
              },
          .start = f.start,
          .parameters = n + 1,
          .parameter_product =
              [f, n](std::size_t i, auto z, auto u, auto out) {
                Values value(n);
                f.map(i, z, value);
                for (std::size_t k = 0; k < n; ++k) out[0] += value[k] * u[k], out[1 + k] += u[k];
              }};
}

// L = sum_k (k + 1) z_k + z_k^2 / 2
double loss(std::span<const double> z) {
  double sum = 0;
  for (std::size_t k = 0; k < z.size(); ++k) sum += double(k + 1) * z[k] + 0.5 * z[k] * z[k];
  return sum;
}
Values slopes_of(const Equilibria<double>& at) {
  Values g = at.states;
  for (std::size_t k = 0; k < g.size(); ++k) g[k] += double(k % at.neurons + 1);
  return g;
}

// The loss after p_k has moved by h, searched starting from the solution.
double moved_loss(Problem problem, Values& p, std::size_t k, double h, const Equilibria<double>& from) {
  problem.start = [&](std::size_t, std::span<double> z) {
    std::copy_n(from.states.data(), z.size(), z.data());
  };
  const double kept = p[k];
  p[k] += h;
  const Equilibria<double> at = settle(problem, 1, {Newton{}, 1e-13});
  p[k] = kept;
  EXPECT_TRUE(at.settled(0)) << at.verdicts[0].residual;
  return loss(at.state(0));
}

struct Differentiated {
  Equilibria<double> at;
  ProblemGradient one_by_one, by_jacobian, by_products, by_differences, by_transposed;
};
Differentiated differentiate_all(const Problem& problem) {
  Differentiated d{.at = settle(problem, 1, {PseudoTransient{}, 1e-13})};
  const Values g = slopes_of(d.at);
  d.one_by_one = differentiate(problem, d.at, g);
  BatchProblem batch = by_rows(problem);
  d.by_jacobian = differentiate(batch, d.at, g);
  batch.jacobian = {};
  d.by_differences = differentiate(batch, d.at, g);
  batch.jacobian_times = products_by_rows(problem);
  d.by_products = differentiate(batch, d.at, g);
  batch.transposed_times = products_by_rows(problem, true);
  d.by_transposed = differentiate(batch, d.at, g);
  return d;
}

// A gradient by the parameters, against differences of the loss, both relative to the largest slope.
void expect_differences(const Problem& problem, Values& p, const Differentiated& d) {
  double size = 1;
  for (const double v : d.one_by_one.parameters) size = std::max(size, std::abs(v));
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double h = 1e-6, up = moved_loss(problem, p, k, h, d.at),
                 down = moved_loss(problem, p, k, -h, d.at);
    for (const ProblemGradient* gradient :
         {&d.one_by_one, &d.by_jacobian, &d.by_products, &d.by_differences, &d.by_transposed})
      EXPECT_NEAR(gradient->parameters[k], (up - down) / (2 * h), 1e-5 * size) << k;
  }
}

TEST(ProblemGradient, AgreesWithFiniteDifferencesOverTheCatalogue) {
  std::size_t compared = 0;
  for (const FixedPointCase& c : fixed_point_catalogue()) {
    if (!c.flow_settles) continue;
    SCOPED_TRACE(c.name);
    Values p(c.problem.size + 1, 0.0);
    p[0] = -0.001, p[1] = 0.01;
    const Problem problem = with_parameters(c.problem, p);
    const Differentiated d = differentiate_all(problem);
    if (!d.at.settled(0)) continue;
    ++compared;
    ASSERT_EQ(d.one_by_one.outcomes[0], GradientOutcome::used);
    EXPECT_EQ(d.one_by_one.used, 1u);
    double size = 0;
    for (const double u : d.one_by_one.adjoints) size = std::max(size, std::abs(u));
    EXPECT_LE(d.one_by_one.residuals[0], 1e-12 * size);
    EXPECT_LE(d.by_transposed.residuals[0], 1e-10 * size);
    EXPECT_GT(d.one_by_one.amplification[0], 0);
    expect_differences(problem, p, d);
  }
  EXPECT_GE(compared, 14u);
}

// z_i = a z_{i-1} + 1 in a ring: if every slope is 1, u = 1 / (1 - a) everywhere.
BatchProblem ring(std::size_t n, double a) {
  return {.size = n,
          .map =
              [=](auto index, auto z, auto f) {
                for (std::size_t k = 0; k < index.size() * n; ++k)
                  f[k] = a * z[k % n == 0 ? k + n - 1 : k - 1] + 1;
              },
          .transposed_times =
              [=](auto index, auto, auto u, auto out) {
                for (std::size_t k = 0; k < index.size() * n; ++k)
                  out[k] = a * u[k % n == n - 1 ? k + 1 - n : k + 1];
              }};
}
Equilibria<double> solved_ring(std::size_t n, double a, std::size_t count = 1) {
  return {n, Values(count * n, 1 / (1 - a)),
          std::vector<Verdict>(count, Verdict{.outcome = Outcome::settled, .evaluations = 1, .residual = 0})};
}

TEST(ProblemGradient, FindsTheAdjointOfALargeProblemByProductsAlone) {
  for (const std::size_t n : {3u, 99u, 300u}) {
    Values g(n, 0.0);
    g[0] = 1;  // u_k = a^(n - k) / (1 - a^n), from the slope on backwards
    const double a = 0.9;
    const ProblemGradient found = differentiate(ring(n, a), solved_ring(n, a), g);
    ASSERT_EQ(found.outcomes[0], GradientOutcome::used) << n;
    for (std::size_t k = 1; k < n; ++k)
      ASSERT_NEAR(found.adjoints[k], std::pow(a, double(n - k)) / (1 - std::pow(a, double(n))), 1e-10) << n;
    EXPECT_LE(found.residuals[0], 1e-11) << n;
  }
}

TEST(ProblemGradient, ProductsThatRunOutAreNoFold) {
  const std::size_t n = 300;
  Values g(n, 0.0);
  g[7] = 1;
  const AdjointOptions few{.memory = 20, .products = 40};
  const ProblemGradient found = differentiate(ring(n, 0.99), solved_ring(n, 0.99), g, few);
  EXPECT_EQ(found.outcomes[0], GradientOutcome::no_adjoint);
  EXPECT_EQ(found.used, 0u);
  EXPECT_LT(found.amplification[0], 2);
  EXPECT_GT(found.residuals[0], 1e-7);
  EXPECT_EQ(found.adjoints, Values(n, 0.0));
}

// z + p - (z - 1)^2 + (1 - slope)(1 - z) has the solution 1 at p = 0, with this slope.
Problem beside_a_fold(double slope) {
  return {.size = 1,
          .map = [=](std::size_t, auto z,
                     auto f) { f[0] = z[0] - (z[0] - 1) * (z[0] - 1) + (1 - slope) * (1 - z[0]); },
          .jacobian = [=](std::size_t, auto z, auto j) { j[0] = slope - 2 * (z[0] - 1); },
          .parameters = 1,
          .parameter_product = [](std::size_t, auto, auto u, auto out) { out[0] += u[0]; }};
}
const Equilibria<double> at_one{
    1, {1.0}, {Verdict{.outcome = Outcome::settled, .evaluations = 1, .residual = 0}}};

TEST(ProblemGradient, AFoldIsSaidAndLeftOut) {
  const Values g{2.0};
  for (const double slope : {1.0, 1 - 1e-6, 1 + 1e-6})
    for (const bool products : {false, true}) {
      const Problem problem = beside_a_fold(slope);
      BatchProblem batch = by_rows(problem);
      batch.jacobian = {};
      batch.transposed_times = products_by_rows(problem, true);
      const auto found = [&](const AdjointOptions& options) {
        return products ? differentiate(batch, at_one, g, options)
                        : differentiate(problem, at_one, g, options);
      };
      const ProblemGradient out = found({});
      EXPECT_EQ(out.outcomes[0], GradientOutcome::fold) << slope << products;
      EXPECT_EQ(out.used, 0u);
      EXPECT_EQ(out.adjoints[0], 0);
      EXPECT_EQ(out.parameters, Values{0.0});
      if (slope == 1) continue;
      EXPECT_NEAR(out.amplification[0], 1e6, 1);
      const ProblemGradient kept = found({.amplification_limit = 1e7});
      EXPECT_EQ(kept.outcomes[0], GradientOutcome::used);
      EXPECT_NEAR(kept.parameters[0] * (1 - slope), 2, 1e-6);
    }
}

// Problem i: z_0 = a sin(z_1) + i / 10, z_1 = a cos(z_0), with the one parameter a = 0.8.
Problem waves() {
  const double a = 0.8;
  return {
      .size = 2,
      .map = [=](std::size_t i, auto z,
                 auto f) { f[0] = a * std::sin(z[1]) + 0.1 * double(i), f[1] = a * std::cos(z[0]); },
      .jacobian = [=](std::size_t, auto z,
                      auto j) { j[0] = 0, j[1] = a * std::cos(z[1]), j[2] = -a * std::sin(z[0]), j[3] = 0; },
      .parameters = 1,
      .parameter_product = [](std::size_t, auto z, auto u,
                              auto out) { out[0] += std::sin(z[1]) * u[0] + std::cos(z[0]) * u[1]; }};
}

TEST(ProblemGradient, HasTheSameBitsOneByOneTogetherAndOnAnyNumberOfThreads) {
  const Problem problem = waves();
  BatchProblem batch = by_rows(problem);
  const Equilibria<double> at = settle(problem, 3000);
  const Values g = slopes_of(at);
  for (const bool jacobian : {true, false}) {
    Problem one = problem;
    if (!jacobian) one.jacobian = {}, batch.jacobian = {};
    ThreadPool threads(3);
    const ProblemGradient alone = differentiate(one, at, g), shared = differentiate(one, at, g, {}, threads);
    EXPECT_EQ(alone.used, 3000u);
    EXPECT_EQ(alone.parameters, shared.parameters);
    for (const ProblemGradient& other :
         {shared, differentiate(batch, at, g), differentiate(batch, at, g, {}, threads)})
      EXPECT_EQ(alone.adjoints, other.adjoints);
  }
}

TEST(ProblemGradient, ThousandsOfProblemsShareEveryProduct) {
  BatchProblem batch = ring(200, 0.5);
  std::size_t calls = 0, rows = 0;
  batch.transposed_times = [&, times = batch.transposed_times](auto index, auto z, auto u, auto out) {
    ++calls, rows += index.size();
    times(index, z, u, out);
  };
  Values g(200 * 400, 0.0);
  for (std::size_t i = 0; i < 400; ++i) g[i * 200 + i % 200] = 1;
  const ProblemGradient found = differentiate(batch, solved_ring(200, 0.5, 400), g);
  EXPECT_EQ(found.used, 400u);
  EXPECT_EQ(rows, calls * 400);
  EXPECT_LE(calls, 60u);
}

TEST(ProblemGradient, WhatIsNoSolutionIsReportedAndNotUsed) {
  const Problem problem = waves();
  Equilibria<double> at = settle(problem, 4);
  at.verdicts[1].outcome = Outcome::cycles;
  Values g = slopes_of(at);
  g[5] = std::numeric_limits<double>::quiet_NaN();
  g[6] = g[7] = 0;
  const ProblemGradient found = differentiate(problem, at, g);
  EXPECT_THAT(found.outcomes, testing::ElementsAre(GradientOutcome::used, GradientOutcome::not_settled,
                                                   GradientOutcome::not_finite, GradientOutcome::used));
  EXPECT_EQ(found.used, 2u);
  EXPECT_EQ(found.amplification[3], 0);
  for (std::size_t k = 2; k < 8; ++k) EXPECT_EQ(found.adjoints[k], 0);
  const Equilibria<double> first{2, {at.states[0], at.states[1]}, {at.verdicts[0]}};
  EXPECT_EQ(found.parameters, differentiate(problem, first, {g.data(), 2}).parameters);
}

TEST(ProblemGradient, AJacobianThatIsNoNumberIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Problem problem = beside_a_fold(0.5);
  problem.jacobian = [=](std::size_t, auto, auto j) { j[0] = nan; };
  EXPECT_EQ(differentiate(problem, at_one, Values{1}).outcomes[0], GradientOutcome::not_finite);
  problem.jacobian = {};
  problem.transposed_times = [=](std::size_t, auto, auto, auto out) { out[0] = nan; };
  EXPECT_EQ(differentiate(problem, at_one, Values{1}).outcomes[0], GradientOutcome::not_finite);
}

TEST(ProblemGradient, WhatAFunctionThrowsReachesTheCaller) {
  BatchProblem batch = ring(5, 0.5);
  batch.transposed_times = [](auto, auto, auto, auto) { throw std::logic_error("no product"); };
  EXPECT_THROW(differentiate(batch, solved_ring(5, 0.5, 9), Values(45, 1.0)), std::logic_error);
}

TEST(ProblemGradient, MistakesAreRefusedInOneLine) {
  Problem problem = waves();
  const Equilibria<double> at = settle(problem, 2);
  const auto refused = [&](const Problem& p, std::size_t slopes, const AdjointOptions& options = {}) {
    return refusal([&] { differentiate(p, at, Values(slopes, 1.0), options); });
  };
  EXPECT_EQ(refused(problem, 4), "");
  EXPECT_THAT(refused(problem, 3), HasSubstr("needs 4 slopes dL/dz; there are 3"));
  EXPECT_THAT(refused(beside_a_fold(0), 4), HasSubstr("equilibria of 2 numbers"));
  EXPECT_THAT(refused(Problem{.size = 2}, 4), HasSubstr("map"));
  EXPECT_THAT(refused(Problem{}, 4), HasSubstr("at least one unknown"));
  EXPECT_THAT(refused(problem, 4, {.amplification_limit = 0}), HasSubstr("amplification"));
  EXPECT_THAT(refused(problem, 4, {.memory = 0}), HasSubstr("Krylov"));
  problem.parameters = 0;
  EXPECT_THAT(refused(problem, 4), HasSubstr("parameter_product"));
}

// A matrix of 2^24 x 2^24 numbers fits nowhere.
TEST(ProblemGradient, AMatrixLargerThanMemoryIsRefusedWithTheAlternative) {
  const std::size_t n = std::size_t{1} << 24;
  const Problem problem{.size = n, .map = [](std::size_t, auto, auto) {}};
  const Equilibria<double> at{
      n, Values(n), {Verdict{.outcome = Outcome::settled, .evaluations = 1, .residual = 0}}};
  EXPECT_THAT(refusal([&] { differentiate(problem, at, Values(n, 1.0)); }), HasSubstr("transposed_times"));
}

}  // namespace
}  // namespace irn
