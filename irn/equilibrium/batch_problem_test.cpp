// Problems that answer all rows at once give the answers of problems asked one by one, in few calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "irn/base/memory.h"
#include "irn/equilibrium/problem.h"
#include "tests/support/fixed_point_catalogue.h"
#include "tests/support/problem_rows.h"
#include "tests/support/refusal.h"
#include "tests/support/solvers.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void expect_same(const Equilibria<double>& a, const Equilibria<double>& b, bool same_calls = true) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.states.data(), b.states.data(), a.states.size() * sizeof(double)), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a.verdicts[i].outcome, b.verdicts[i].outcome) << i;
    EXPECT_EQ(a.verdicts[i].residual, b.verdicts[i].residual) << i;
    EXPECT_TRUE(!same_calls || a.verdicts[i].evaluations == b.verdicts[i].evaluations) << i;
  }
}

TEST(BatchProblem, HasTheBitsOfTheProblemThatIsAskedOneByOne) {
  for (const FixedPointCase& c : fixed_point_catalogue())
    for (const Solver& solver : all_solvers())
      for (const bool jacobian : {true, false}) {
        SCOPED_TRACE(to_text(solver) + " on " + c.name + (jacobian ? "" : ", without Jacobian"));
        Problem problem = c.problem;
        if (!jacobian) problem.jacobian = {};
        expect_same(settle(problem, 5, {solver}), settle(by_rows(problem), 5, {solver}));
      }
}

// The matrix formed by products with unit vectors is the matrix.
TEST(BatchProblem, ProductsWithTheJacobianReplaceItWhereItIsFactored) {
  for (const FixedPointCase& c : fixed_point_catalogue())
    for (const Solver& solver : all_solvers()) {
      if (!needs_factors(solver)) continue;
      SCOPED_TRACE(to_text(solver) + " on " + c.name);
      BatchProblem batch = by_rows(c.problem);
      batch.jacobian_times = products_by_rows(c.problem);
      batch.jacobian = {};
      expect_same(settle(c.problem, 1, {solver}), settle(batch, 1, {solver}), false);
    }
}

TEST(BatchProblem, ProductsWithTheJacobianServeKrylovSpaces) {
  for (const FixedPointCase& c : fixed_point_catalogue())
    for (const Solver& solver : {Solver(NewtonKrylov{}), Solver(RosenbrockKrylov{})}) {
      BatchProblem batch = by_rows(c.problem);
      const Equilibria<double> whole = settle(batch, 3, {solver});
      batch.jacobian_times = products_by_rows(c.problem);
      batch.jacobian = {};
      const Equilibria<double> products = settle(batch, 3, {solver});
      ASSERT_EQ(whole.settled(2), products.settled(2)) << to_text(solver) << " on " << c.name;
      for (std::size_t i = 0; whole.settled(2) && i < c.problem.size; ++i)
        EXPECT_NEAR(whole.state(2)[i], products.state(2)[i],
                    1e-6 * std::max(1.0, std::abs(whole.state(2)[i])))
            << to_text(solver) << " on " << c.name;
    }
}

// Problem i: a rotation by its own angle about its own point. Some start at their solution, and number 20 has
// no value anywhere.
Problem rotations() {
  return {.size = 2,
          .map =
              [](std::size_t i, std::span<const double> z, std::span<double> f) {
                const double s = 0.001 * double(i % 900), x = double(i);
                f[0] = i == 20 ? std::numeric_limits<double>::quiet_NaN() : x - s * (z[1] - 1);
                f[1] = 1 + s * (z[0] - x);
              },
          .start =
              [](std::size_t i, std::span<double> z) {
                z[0] = i % 9 == 4 ? double(i) : -double(i), z[1] = i % 9 == 4 ? 1 : 0.5;
              }};
}

void expect_same_bits_everywhere(const Solver& solver, std::size_t count) {
  SCOPED_TRACE(to_text(solver) + " on " + std::to_string(count));
  const Problem one_by_one = rotations();
  const BatchProblem batch = by_rows(one_by_one);
  const Equilibria<double> alone = settle(one_by_one, count, {solver});
  expect_same(alone, settle(batch, count, {solver}));
  ThreadPool threads(3);
  expect_same(alone, settle(one_by_one, count, {solver}, threads));
  expect_same(alone, settle(batch, count, {solver}, threads));
}

TEST(BatchProblem, EveryProblemHasTheSameBitsOnAnyNumberOfThreads) {
  for (const Solver& solver : all_solvers())
    for (const std::size_t count : {1u, 37u}) expect_same_bits_everywhere(solver, count);
}

TEST(BatchProblem, MoreThanRunAtATimeTakeTurns) {
  for (const Solver& solver : {Solver(Anderson{}), Solver(Rosenbrock{}), Solver(RosenbrockKrylov{})})
    expect_same_bits_everywhere(solver, 5001);
}

// Calls and rows of a map, and whether a row asked about a problem that had left.
struct Record {
  std::size_t calls = 0, rows = 0, returned = 0;
  std::vector<std::size_t> last;  // the last call that asked about each problem

  BatchProblem of(const Problem& problem, std::size_t count) {
    last.assign(count, 0);
    BatchProblem batch = by_rows(problem);
    batch.map = [this, map = batch.map](auto index, auto z, auto f) {
      ++calls, rows += index.size();
      for (const std::size_t i : index) returned += last[i] + 1 < calls, last[i] = calls;
      map(index, z, f);
    };
    return batch;
  }
};

TEST(BatchProblem, ThousandsOfProblemsShareEveryCall) {
  for (const Solver& solver : all_solvers()) {
    Record record;
    const BatchProblem batch = record.of(rotations(), 1000);
    const Equilibria<double> out = settle(batch, 1000, {solver});
    EXPECT_EQ(record.rows, out.summary().evaluations) << to_text(solver);
    std::uint32_t longest = 0;
    for (const Verdict& v : out.verdicts) longest = std::max(longest, v.evaluations);
    // A lane may wait for the Krylov spaces of its neighbours.
    EXPECT_LE(record.calls, longest + longest / 4) << to_text(solver);
  }
  Record record;
  const BatchProblem batch = record.of(rotations(), 1000);
  settle(batch, 1000, {Anderson{}});
  EXPECT_LE(record.calls, 40u);
  settle(batch, 1000, {Rosenbrock{}});
  EXPECT_LE(record.calls, 200u);
}

TEST(BatchProblem, AProblemThatHasLeftIsAskedAboutNoMore) {
  for (const char* solver : {"fixed-point", "anderson", "rk4", "rk45"}) {
    Record record;
    settle(record.of(rotations(), 1000), 1000, {.solver = from_text<Solver>(solver), .confirm = false});
    EXPECT_EQ(record.returned, 0u) << solver;
    EXPECT_LT(record.rows, record.calls * 1000) << solver << ": some settle before others";
  }
}

TEST(BatchProblem, StartsAreAskedForOnce) {
  BatchProblem batch = by_rows(rotations());
  std::size_t calls = 0;
  batch.start = [&](auto index, auto z) {
    ++calls;
    EXPECT_EQ(index.size(), 5000u);
    for (const std::size_t i : index) z[2 * i] = double(i), z[2 * i + 1] = 1;
  };
  const Equilibria<double> out = settle(batch, 5000, {.confirm = false});
  EXPECT_EQ(calls, 1u);
  EXPECT_EQ(out.summary().count[0], 4999u);
  EXPECT_EQ(out.verdicts[7].evaluations, 1u);
}

TEST(BatchProblem, WhatTheMapThrowsReachesTheCallerAndLeavesNothingBehind) {
  for (const std::size_t workers : {1u, 3u})
    for (const Solver& solver : all_solvers()) {
      ThreadPool threads(workers);
      BatchProblem batch = by_rows(rotations());
      int calls = 0;
      batch.map = [&, map = batch.map](auto index, auto z, auto f) {
        if (++calls == 3) throw std::logic_error("out of paper");
        map(index, z, f);
      };
      try {
        settle(batch, 6000, {solver}, threads);
        FAIL() << to_text(solver);
      } catch (const std::logic_error& error) {
        EXPECT_STREQ(error.what(), "out of paper");
      }
      EXPECT_EQ(calls, 3) << to_text(solver);
      EXPECT_EQ(settle(batch, 10, {solver}, threads).size(), 10u);
    }
}

TEST(Problem, WhatTheMapThrowsOnAThreadReachesTheCaller) {
  ThreadPool threads(3);
  Problem problem = rotations();
  problem.map = [map = problem.map](std::size_t i, auto z, auto f) {
    if (i >= 700) throw std::logic_error(std::to_string(i));
    map(i, z, f);
  };
  EXPECT_THROW(settle(problem, 1000, {}, threads), std::logic_error);
}

TEST(Problem, ThreadsShareTheCalls) {
  ThreadPool threads(3);
  std::atomic<std::size_t> calls = 0;
  Problem problem = rotations();
  problem.map = [&, map = problem.map](std::size_t i, auto z, auto f) { ++calls, map(i, z, f); };
  const Equilibria<double> out = settle(problem, 300, {Anderson{}}, threads);
  EXPECT_EQ(out.summary().evaluations, calls);
}

TEST(BatchProblem, MistakesAreRefusedInOneLine) {
  const auto map = [](auto, auto z, auto f) { std::copy(z.begin(), z.end(), f.begin()); };
  const auto matrix = [](auto, auto, auto) {};
  EXPECT_THAT(refusal([&] { settle(BatchProblem{.map = map}, 1); }), HasSubstr("at least one unknown"));
  EXPECT_THAT(refusal([&] { settle(BatchProblem{.size = 2}, 1); }), HasSubstr("map"));
  for (const int bits : {46, 60, 61, 63})
    for (const std::size_t count : {1u, 8u}) {
      const BatchProblem huge{.size = std::size_t{1} << bits, .map = map};
      BatchProblem with_matrix = huge;
      with_matrix.jacobian = matrix;
      EXPECT_THAT(refusal([&] { settle(huge, count); }), AllOf(HasSubstr("memory"), HasSubstr("numbers")));
      EXPECT_THAT(refusal([&] { settle(with_matrix, count); }), HasSubstr("memory"));
    }
  EXPECT_EQ(settle(BatchProblem{.size = 2, .map = map}, 0).size(), 0u);
}

}  // namespace
}  // namespace irn
