// Every solver on every problem of the catalogue: the known answer, or an honest verdict that there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "irn/base/error.h"
#include "irn/equilibrium/cpu_settler.h"
#include "irn/equilibrium/problem.h"
#include "tests/support/fixed_point_catalogue.h"
#include "tests/support/solvers.h"

namespace irn {
namespace {

using Values = std::vector<double>;

double distance(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}
double size_of(std::span<const double> z) {
  double most = 1;
  for (const double v : z) most = std::max(most, std::abs(v));
  return most;
}
double residual(const Problem& problem, std::span<const double> z, std::size_t i = 0) {
  Values f(problem.size);
  problem.map(i, z, f);
  return distance(f, z);
}

const FixedPointCase& find_case(std::string_view name) {
  static const std::vector<FixedPointCase> all = fixed_point_catalogue();
  return *std::ranges::find(all, name, &FixedPointCase::name);
}

// For tolerance 1e-10 and problems that amplify a residual at most a thousand times.
bool is_at(std::span<const double> state, const Values& equilibrium) {
  return distance(state, equilibrium) <= 1e-6 * size_of(equilibrium);
}

// A verdict must hold: its residual is the state's, and settled means settled.
void expect_honest(const FixedPointCase& c, const Equilibria<double>& out, double tolerance) {
  const Verdict& verdict = out.verdicts[0];
  if (verdict.outcome == Outcome::not_finite) return;
  const double found = residual(c.problem, out.state(0));
  EXPECT_DOUBLE_EQ(verdict.residual, found);
  const bool at_rest = found <= tolerance * size_of(out.state(0)),
             said = verdict.outcome == Outcome::settled || verdict.outcome == Outcome::repels;
  EXPECT_TRUE(at_rest || !said);
  EXPECT_TRUE(!at_rest || said || verdict.outcome == Outcome::iterated);
  // Only equilibria other than the flow's answer may be said to repel.
  if (verdict.outcome == Outcome::repels && c.flow_settles) {
    EXPECT_FALSE(is_at(out.state(0), c.equilibria[0])) << "repels at a rate of " << verdict.rate;
  }
}

void expect_answer(const FixedPointCase& c, const Solver& solver, const Equilibria<double>& out) {
  const bool excused = std::ranges::find(c.too_hard_for, name_of(solver)) != c.too_hard_for.end();
  const bool must = c.flow_settles && !excused, must_not = !c.flow_settles && follows_flow(solver);
  const bool elsewhere = !follows_flow(solver) && out.verdicts[0].outcome == Outcome::repels;
  EXPECT_TRUE(out.settled(0) || !must || elsewhere) << "outcome: " << name(out.verdicts[0].outcome);
  EXPECT_FALSE(out.settled(0) && must_not) << "at " << out.state(0)[0];
  if (!out.settled(0)) return;
  const auto known =
      std::ranges::find_if(c.equilibria, [&](const Values& e) { return is_at(out.state(0), e); });
  ASSERT_NE(known, c.equilibria.end()) << "no equilibrium: " << out.state(0)[0];
  EXPECT_TRUE(known == c.equilibria.begin() || excused || !follows_flow(solver))
      << "not the flow's: " << out.state(0)[0];
}

void expect_solved(const FixedPointCase& c, const Solver& solver) {
  SCOPED_TRACE(to_text(solver) + " on " + c.name + (c.problem.jacobian ? "" : ", without Jacobian"));
  const double tolerance = 1e-10;
  const Equilibria<double> out = settle(c.problem, 1, {solver, tolerance});
  expect_honest(c, out, tolerance);
  expect_answer(c, solver, out);
}

FixedPointCase without_jacobian(FixedPointCase c) {
  c.problem.jacobian = {};
  return c;
}

TEST(Catalogue, EverySolverFindsEveryKnownEquilibriumOrSaysThatItHasNot) {
  for (const FixedPointCase& c : fixed_point_catalogue())
    for (const Solver& solver : c.flow_settles ? patient_solvers() : all_solvers()) expect_solved(c, solver);
}

TEST(Catalogue, TheJacobianMayBeLeftOut) {
  for (const FixedPointCase& c : fixed_point_catalogue())
    for (const Solver& solver : c.flow_settles ? patient_solvers() : all_solvers())
      expect_solved(without_jacobian(c), solver);
}

// The error of a step must be smaller than the distance at which the path passes the saddle.
TEST(Catalogue, RosenbrockWithASmallerErrorPassesTheCloserSaddle) {
  const FixedPointCase& c = find_case("a saddle passed closely");
  const Equilibria<double> out = settle(c.problem, 1, {Rosenbrock{.error = 1e-5}});
  EXPECT_TRUE(out.settled(0) && is_at(out.state(0), c.equilibria[0])) << out.state(0)[0];
}

TEST(Catalogue, EveryCaseIsWhatItClaims) {
  for (const FixedPointCase& c : fixed_point_catalogue())
    for (const Values& equilibrium : c.equilibria)
      EXPECT_LE(residual(c.problem, equilibrium), 1e-14 * size_of(equilibrium) * double(c.problem.size))
          << c.name;
}

TEST(Catalogue, EveryJacobianIsTheDerivativeOfItsMap) {
  for (const FixedPointCase& c : fixed_point_catalogue()) {
    if (c.equilibria.empty()) continue;
    const std::size_t n = c.problem.size;
    Values z = c.equilibria[0], jacobian(n * n), up(n), down(n);
    for (double& v : z) v += 0.1;
    c.problem.jacobian(0, z, jacobian);
    for (std::size_t j = 0; j < n; ++j) {
      const double h = 1e-5 * size_of(z), kept = z[j];
      z[j] = kept + h, c.problem.map(0, z, up);
      z[j] = kept - h, c.problem.map(0, z, down);
      z[j] = kept;
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(jacobian[i * n + j], (up[i] - down[i]) / (2 * h), 1e-7 * size_of(up)) << c.name;
    }
  }
}

Outcome outcome_of(std::string_view name, std::string_view solver) {
  return settle(find_case(name).problem, 1, {from_text<Solver>(solver)}).verdicts[0].outcome;
}

TEST(Outcome, ALimitCycleHasNoAnswerForAnySolverThatFollowsTheFlow) {
  for (const Solver& solver : all_solvers())
    if (follows_flow(solver)) {
      const Outcome outcome = outcome_of("a limit cycle", to_text(solver));
      EXPECT_TRUE(outcome == Outcome::cycles || outcome == Outcome::repels || name_of(solver) == "rk4")
          << to_text(solver) << " says " << name(outcome);
    }
  EXPECT_EQ(outcome_of("a limit cycle", "auto"), Outcome::cycles);
  EXPECT_EQ(outcome_of("a rotation", "fixed-point"), Outcome::cycles);
  EXPECT_EQ(outcome_of("a neuron that inhibits itself", "fixed-point"), Outcome::cycles);
}

TEST(Outcome, WhatGrowsWithoutEndRunsAway) {
  const Problem drift{.size = 1, .map = [](std::size_t, auto z, auto f) { f[0] = z[0] + 1; }};
  for (const char* solver : {"auto", "rosenbrock", "fixed-point", "rk45"})
    EXPECT_EQ(settle(drift, 1, {from_text<Solver>(solver)}).verdicts[0].outcome, Outcome::runs_away)
        << solver;
  for (const char* solver : {"auto", "rosenbrock", "fixed-point:damping=0.1", "rk45"}) {
    EXPECT_EQ(outcome_of("exponential growth", solver), Outcome::runs_away) << solver;
    EXPECT_EQ(outcome_of("a saddle that the flow leaves for good", solver), Outcome::runs_away) << solver;
  }
}

// A read-out of a cycle may be large and still does not run away.
TEST(Outcome, ACycleWithALargeReadOutCycles) {
  const Problem cycle = find_case("a limit cycle").problem;
  const Problem problem{.size = 3,
                        .map =
                            [&](std::size_t, auto z, auto f) {
                              cycle.map(0, z.first(2), f.first(2));
                              f[2] = 1000 + z[0];
                            },
                        .start = [](std::size_t, auto z) { z[0] = 0.3; }};
  for (const char* solver : {"auto", "rosenbrock", "rk45"})
    EXPECT_EQ(settle(problem, 1, {from_text<Solver>(solver)}).verdicts[0].outcome, Outcome::cycles) << solver;
}

// A cycle of radius 0.01 about (0.3, -0.2), 0.4 from the start: smaller than the error that a step may make.
Problem small_cycle() {
  return {.size = 2,
          .map =
              [](std::size_t, std::span<const double> z, std::span<double> f) {
                const double u = z[0] - 0.3, v = z[1] + 0.2, growth = 1e-4 - u * u - v * v;
                f[0] = z[0] + growth * u - v;
                f[1] = z[1] + u + growth * v;
              },
          .start = [](std::size_t, std::span<double> z) { z[0] = 0.7, z[1] = -0.2; }};
}

TEST(Outcome, TheCentreOfASmallCycleIsNoAnswer) {
  for (const Solver& solver : {Solver(Rosenbrock{}), Solver(Newton{})}) {
    const Verdict verdict = settle(small_cycle(), 1, {solver}).verdicts[0];
    EXPECT_EQ(verdict.outcome, Outcome::repels) << to_text(solver);
    EXPECT_LE(verdict.residual, 1e-8) << "the solver came to rest: this tests what is said of it";
    EXPECT_NEAR(verdict.rate, 1e-4, 1e-7) << to_text(solver);
    EXPECT_NEAR(verdict.turn, 1, 1e-6) << to_text(solver);
    EXPECT_EQ(settle(small_cycle(), 1, {.solver = solver, .confirm = false}).verdicts[0].outcome,
              Outcome::settled);
  }
  EXPECT_EQ(settle(small_cycle(), 1).verdicts[0].outcome, Outcome::repels)
      << "auto looks again, but the way to the cycle is longer than its steps";
}

TEST(Outcome, AnEquilibriumThatRepelsIsNoAnswerForWhatBeginsThere) {
  Problem problem = small_cycle();
  problem.start = [](std::size_t, std::span<double> z) { z[0] = 0.3, z[1] = -0.2; };
  EXPECT_EQ(settle(problem, 1).verdicts[0].outcome, Outcome::repels);
  EXPECT_EQ(settle(problem, 1, {.confirm = false}).verdicts[0].outcome, Outcome::settled);
}

// 9e-6 from a repelling equilibrium is rest, within 1e-5, but not where the flow ends.
TEST(Outcome, WhatBeginsAtRestBesideAnEquilibriumThatRepelsGoesOn) {
  const Problem problem{.size = 1,
                        .map = [](std::size_t, auto z, auto f) { f[0] = std::tanh(2 * z[0] + 9e-6); }};
  const Equilibria<double> out = settle(problem, 1, {.tolerance = 1e-5});
  EXPECT_TRUE(out.settled(0)) << name(out.verdicts[0].outcome);
  EXPECT_NEAR(out.state(0)[0], 0.9575, 1e-4);
}

// A state one millionth of the others' size must be measured relative to its own size.
TEST(Outcome, TheFloorMeasuresSmallUnknownsAgainstTheirOwnSize) {
  const FixedPointCase& c = find_case("Robertson's reactions");
  const Equilibria<double> out = settle(c.problem, 1, {.solver = Rosenbrock{}, .floor = 1e-6});
  ASSERT_TRUE(out.settled(0)) << name(out.verdicts[0].outcome);
  EXPECT_NEAR(out.state(0)[1], c.equilibria[0][1], 1e-10);
  EXPECT_THAT([&] { settle(c.problem, 1, {.floor = 0}); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("floor 0 is none")));
}

TEST(Outcome, ASlowApproachSaysHowManyStepsMore) {
  const Problem problem{.size = 1, .map = [](std::size_t, auto z, auto f) { f[0] = 0.99 * z[0] + 0.01; }};
  const Verdict some = settle(problem, 1, {FixedPoint{.steps = 500}, 1e-8}).verdicts[0];
  ASSERT_EQ(some.outcome, Outcome::slow);
  std::size_t needed = 500;
  while (!settle(problem, 1, {FixedPoint{.steps = needed}, 1e-8}).settled(0)) needed += 10;
  EXPECT_NEAR(some.more_steps, double(needed - 500), 0.2 * double(needed - 500));
}

TEST(Outcome, ALaunchCountsAsSteps) {
  const Problem problem{.size = 1, .map = [](std::size_t, auto z, auto f) { f[0] = 0.5 * z[0] + 1; }};
  EXPECT_EQ(settle(problem, 1, {Rosenbrock{.launch = 6, .steps = 4}}).verdicts[0].evaluations, 1u + 4 * 3);
}

// Two equilibria that attract, and a start on either side of the border between their basins.
TEST(Outcome, TheFlowFromTheCallersStart) {
  const Problem problem{.size = 1,
                        .map = [](std::size_t, auto z, auto f) { f[0] = std::tanh(3 * z[0]); },
                        .start = [](std::size_t i, auto z) { z[0] = i % 2 ? 0.003 : -0.003; }};
  const Equilibria<double> out = settle(problem, 6);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_TRUE(out.settled(i) && (out.state(i)[0] > 0) == (i % 2 == 1)) << out.state(i)[0];
}

// z = 0 attracts in the second direction and repels in the first.
TEST(Outcome, TheFlowPassesBySaddles) {
  const Problem problem{
      .size = 2,
      .map =
          [](std::size_t, std::span<const double> z, std::span<double> f) {
            f[0] = 1.5 * z[0] - z[0] * z[0] * z[0];
            f[1] = 0;
          },
      .start = [](std::size_t i, std::span<double> z) { z[0] = std::pow(10, -3 - double(i)), z[1] = 0.5; }};
  for (const Solver& solver : {Solver(Rosenbrock{}), Solver(RosenbrockKrylov{.shortcut = 0})}) {
    const Equilibria<double> out = settle(problem, 5, {solver});
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_TRUE(out.settled(i) && is_at(out.state(i), {std::sqrt(0.5), 0}))
          << to_text(solver) << " " << i << " " << out.state(i)[0];
  }
}

// z = 1e6, along a slow and a fast coordinate: an error of 0.02 would demand eight digits in every step.
TEST(Outcome, LargeAnswersAreWithinTheStepLimit) {
  const Problem problem{.size = 2, .map = [](std::size_t, std::span<const double> z, std::span<double> f) {
                          f[0] = 0.5 * z[0] + 5e5;
                          f[1] = 0.2 * z[0] - 3 * z[1];
                        }};
  for (const Solver& solver : {Solver(Rosenbrock{}), Solver(RosenbrockKrylov{})}) {
    const Equilibria<double> out = settle(problem, 1, {solver});
    EXPECT_TRUE(out.settled(0) && is_at(out.state(0), {1e6, 5e4}))
        << to_text(solver) << " " << out.state(0)[0];
    EXPECT_LT(out.verdicts[0].evaluations, 300u) << to_text(solver);
  }
}

TEST(Outcome, AnApproachThatRunsOutOfStepsIsSlowOrTooShortToTell) {
  EXPECT_EQ(outcome_of("the lower of three equilibria", "fixed-point:damping=0.1,steps=90"), Outcome::slow);
  EXPECT_EQ(outcome_of("a rotation that barely contracts", "fixed-point:steps=100"), Outcome::slow);
  for (const char* solver : {"rk4:steps=5", "rk45:steps=6"})
    EXPECT_EQ(outcome_of("the lower of three equilibria", solver), Outcome::ran_out) << solver;
}

// z + 1 has no fixed point, however large z becomes; a second component that settles by itself does not
// change that.
TEST(Outcome, AStateThatRunsAwayDoesNotSettle) {
  const Problem alone{.size = 1, .map = [](std::size_t, auto z, auto f) { f[0] = z[0] + 1; }};
  const Problem beside{.size = 2, .map = [](std::size_t, auto z, auto f) {
                         f[0] = z[0] + 1;
                         f[1] = 0.5 * std::cos(z[1]);
                       }};
  for (const Solver& solver : patient_solvers())
    for (const Problem& problem : {alone, beside}) {
      const Equilibria<double> out = settle(problem, 1, {.solver = solver});
      EXPECT_FALSE(out.settled(0)) << to_text(solver) << ": " << out.states[0];
    }
}

TEST(Outcome, AStateThatLeavesTheNumbersIsNotFinite) {
  EXPECT_EQ(outcome_of("growth to infinity in finite time", "fixed-point"), Outcome::not_finite);
  EXPECT_EQ(outcome_of("growth to infinity in finite time", "fixed-point:damping=0.1"), Outcome::not_finite);
  EXPECT_EQ(outcome_of("a rotation that expands", "fixed-point:steps=100000"), Outcome::not_finite);
  for (const Solver& solver : all_solvers())
    EXPECT_EQ(settle(find_case("a map that is nowhere a number").problem, 1, {solver}).verdicts[0].outcome,
              Outcome::not_finite)
        << to_text(solver);
}

// Problem i: a rotation by its own angle about its own point, from its own start.
// Some begin where they end, and number 20 has no value anywhere.
Problem rotations(std::size_t* calls) {
  return {.size = 2,
          .map =
              [calls](std::size_t i, std::span<const double> z, std::span<double> f) {
                ++*calls;
                const double s = 0.01 * double(i), x = double(i);
                f[0] = i == 20 ? std::numeric_limits<double>::quiet_NaN() : x - s * (z[1] - 1);
                f[1] = 1 + s * (z[0] - x);
              },
          .start =
              [](std::size_t i, std::span<double> z) {
                z[0] = i % 9 == 4 ? double(i) : -double(i), z[1] = i % 9 == 4 ? 1 : 0.5;
              }};
}
Problem only(const Problem& batch, std::size_t number) {
  return {.size = batch.size,
          .map = [=](std::size_t, auto z, auto f) { batch.map(number, z, f); },
          .start = [=](std::size_t, auto z) { batch.start(number, z); }};
}

TEST(ProblemBatch, EveryProblemHasItsOwnAnswerAndTheSameBitsAsAlone) {
  std::size_t calls = 0;
  const Problem batch = rotations(&calls);
  for (const Solver& solver : all_solvers()) {
    const Equilibria<double> together = settle(batch, 37, {solver});
    for (std::size_t i = 0; i < 37; ++i) {
      const Equilibria<double> alone = settle(only(batch, i), 1, {solver});
      ASSERT_EQ(std::memcmp(alone.states.data(), together.state(i).data(), 16), 0)
          << to_text(solver) << " problem " << i;
      ASSERT_EQ(alone.verdicts[0].outcome, together.verdicts[i].outcome);
      ASSERT_EQ(alone.verdicts[0].evaluations, together.verdicts[i].evaluations)
          << to_text(solver) << " problem " << i;
      ASSERT_TRUE(!together.settled(i) || is_at(together.state(i), {double(i), 1})) << to_text(solver);
    }
  }
}

TEST(ProblemBatch, EveryCallOfTheMapIsCounted) {
  std::size_t calls = 0;
  const Problem batch = rotations(&calls);
  for (const Solver& solver : all_solvers()) {
    calls = 0;
    std::size_t counted = 0;
    for (const Verdict& v : settle(batch, 37, {solver}).verdicts) counted += v.evaluations;
    EXPECT_EQ(counted, calls) << to_text(solver);
  }
}

TEST(ProblemBatch, NoProblemsHaveNoAnswers) {
  EXPECT_EQ(settle(find_case("a contraction").problem, 0).size(), 0u);
}

}  // namespace
}  // namespace irn
