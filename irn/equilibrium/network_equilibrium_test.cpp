// Every solver on networks, against plain code: the same equilibrium, an honest residual, the same bits in any company.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "irn/data/table.h"
#include "irn/equilibrium/settle.h"
#include "irn/kernels/targets_testing-inl.h"
#include "tests/support/architectures.h"
#include "tests/support/plain_network.h"
#include "tests/support/solvers.h"
#include "tests/support/unchecked_samples.h"

namespace irn {
namespace {

using Index = std::vector<std::uint64_t>;

template <class T>
Table<T> random_samples(std::size_t inputs, std::size_t count, std::uint64_t seed = 9) {
  return Table<T>(inputs, 0, random_numbers<T>(inputs * count, seed), {});
}
template <class T>
Equilibria<T> settle_with(const Solver& solver, const Network<T>& network, const Table<T>& samples,
                          double tolerance = 0, std::size_t thread_count = 1) {
  ThreadPool threads(thread_count);
  return Settler<T>(network, {solver, tolerance}, threads).settle(samples);
}

// Rows of f' |A| that sum to 0.8 amplify a residual five times at most.
void expect_equilibria(const Solver& solver, const Network<double>& network, const Table<double>& samples) {
  const double tolerance = 1e-10;
  const Equilibria<double> found = settle_with(solver, network, samples, tolerance);
  const PlainNetwork plain(network);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const Eigen::VectorXd x = as_vector(samples.input_row(s)), z = as_vector(found.state(s));
    ASSERT_TRUE(found.settled(s)) << name(found.verdicts[s].outcome);
    EXPECT_NEAR(found.verdicts[s].residual, plain.residual(z, x), 1e-14);
    EXPECT_LE((z - plain.flow_limit(x)).cwiseAbs().maxCoeff(), 10 * tolerance);
  }
}

TEST(NetworkEquilibrium, EverySolverSettlesEveryArchitectureWhereTheFlowDoes) {
  std::uint64_t seed = 100;
  for (const Architecture& architecture : all_architectures()) {
    const Network<double> network = random_network<double>(architecture, ++seed, 0.8);
    const Table<double> samples = random_samples<double>(architecture.inputs(), 3);
    for (const Solver& solver : patient_solvers()) {
      SCOPED_TRACE(text_of(solver) + " on " + architecture.text());
      expect_equilibria(solver, network, samples);
    }
  }
}

TEST(NetworkEquilibrium, AWideNetworkSettlesByEverySolver) {
  const Network<double> network = random_network<double>(Architecture::parse("10-60tanh-7"), 5, 0.8);
  const Table<double> samples = random_samples<double>(10, 3);
  for (const Solver& solver : patient_solvers()) {
    SCOPED_TRACE(text_of(solver));
    expect_equilibria(solver, network, samples);
  }
}

TEST(NetworkEquilibrium, WithoutRecurrenceOneSweepIsExact) {
  for (std::size_t f = 0; f < activation_names.size(); ++f) {
    const Architecture architecture = uniform_architecture(4, static_cast<Activation>(f), Recurrence::none);
    const Network<double> network = random_network<double>(architecture, f, 3);
    const Table<double> samples = random_samples<double>(3, 40);
    const PlainNetwork plain(network);
    const Equilibria<double> found = settle_with<double>(Auto{}, network, samples);
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const Eigen::VectorXd want = plain.sweep(Eigen::VectorXd::Zero(10), as_vector(samples.input_row(s)));
      EXPECT_LE((as_vector(found.state(s)) - want).cwiseAbs().maxCoeff(),
                1e-14 * (1 + want.cwiseAbs().maxCoeff()));
      EXPECT_EQ(found.verdicts[s].evaluations, 1u);
      EXPECT_TRUE(found.settled(s));
    }
  }
}

TEST(NetworkEquilibrium, ASweepThatOverflowsIsNotFinite) {
  const Network<float> network(Architecture::parse("1-1identity-1identity/none"), {1e30f, 1e30f, 0, 0});
  const Equilibria<float> found = settle_with<float>(Auto{}, network, Table<float>(1, 0, {1, 0}, {}));
  EXPECT_EQ(found.verdicts[0].outcome, Outcome::not_finite);
  EXPECT_EQ(found.verdicts[1].outcome, Outcome::settled);
}

// Sigmoid, relu and softplus could make numbers of what is none: 2 x overflows before -2 x takes it back.
template <class T>
void expect_no_answer_to_what_is_no_number(const char* activation, const char* recurrence) {
  const std::string text = std::string("2-2") + activation + "-1" + activation + recurrence;
  Network<T> network = random_network<T>(Architecture::parse(text), 3, 0.5);
  for (T& weight : network.parameters().first(4)) weight = 2;
  network.parameters()[1] = -2;
  constexpr T nothing = std::numeric_limits<T>::quiet_NaN(), huge = std::numeric_limits<T>::max();
  const UncheckedSamples<T> samples(
      2, {1, 1, nothing, 1, huge, huge, std::numeric_limits<T>::infinity(), 0, 2, 1});
  ThreadPool threads(1);
  for (const Solver& solver : all_solvers()) {
    SCOPED_TRACE(text + " " + text_of(solver));
    const Equilibria<T> found = Settler<T>(network, {solver}, threads).settle(samples);
    for (const std::size_t s : {1u, 2u, 3u}) {
      EXPECT_EQ(found.verdicts[s].outcome, Outcome::not_finite) << "sample " << s;
      EXPECT_EQ(found.verdicts[s].residual, std::numeric_limits<double>::infinity()) << "sample " << s;
    }
    if (std::holds_alternative<Auto>(solver)) {
      EXPECT_TRUE(found.settled(0) && found.settled(4));
    }
  }
}

TEST(NetworkEquilibrium, WhatIsNoNumberHasNoAnswer) {
  kernels::for_each_target([](const char* target) {
    SCOPED_TRACE(target);
    for (const char* activation : {"", "tanh", "relu", "softplus", "identity"})
      for (const char* recurrence : {"", "/none"}) {
        expect_no_answer_to_what_is_no_number<float>(activation, recurrence);
        expect_no_answer_to_what_is_no_number<double>(activation, recurrence);
      }
  });
}

// The output feeds itself, y = y + c(x): it has no equilibrium, however small c is beside what y has become.
TEST(NetworkEquilibrium, AnOutputThatRunsAwayDoesNotSettle) {
  for (const char* text : {"3-60tanh-1identity/lateral", "3-6tanh-1identity/lateral"}) {
    Network<float> network(Architecture::parse(text), Start::scaled, 3);
    for (const Block& block : network.architecture().blocks())
      if (block.from == 2 && block.to == 2) network.parameters()[block.weights] = 1;
    const Table<float> samples = random_samples<float>(3, 50);
    for (const Solver& solver : all_solvers()) {
      const Equilibria<float> found = settle_with(solver, network, samples);
      for (std::size_t s = 0; s < samples.size(); ++s)
        EXPECT_TRUE(!found.settled(s) || found.verdicts[s].residual < 2e-3)
            << text_of(solver) << ": y = " << found.state(s).back() << ", residual "
            << found.verdicts[s].residual;
    }
  }
}

// But one that is large for a reason does, to the accuracy that numbers of its size have.
TEST(NetworkEquilibrium, ALargeOutputSettles) {
  for (const char* text : {"3-60tanh-1identity/lateral", "3-6tanh-1identity/lateral"}) {
    Network<float> network = random_network<float>(Architecture::parse(text), 3, 0.5);
    for (const Block& block : network.architecture().blocks())
      if (block.to == 2)
        for (std::size_t k = 0; k < block.rows * block.cols; ++k)
          network.parameters()[block.weights + k] = block.from == 2 ? 0.3f : 1e6f;
    const Table<float> samples = random_samples<float>(3, 50);
    for (const char* solver : {"auto", "fixed-point", "anderson", "newton", "rk45", "pseudo-transient"})
      EXPECT_EQ(settle_with(solver_from_text(solver), network, samples).summary().settled_share(), 1)
          << text << " by " << solver;
  }
}

// Every eigenvalue of J is -3/7, which attracts; the powers of its Cayley transform rise far before they are exactly zero.
TEST(NetworkEquilibrium, AChainThatAmplifiesOnItsWayToRestSettles) {
  for (const std::size_t n : {12u, 24u}) {
    const std::string size = std::to_string(n);
    Network<double> network(Architecture::parse("1-" + size + "identity"),
                            std::vector<double>(n * n + 2 * n));
    for (const Block& block : network.architecture().blocks())
      for (std::size_t i = 0; i < n; ++i) {
        double* row = network.parameters().data() + block.weights + i * block.cols;
        if (block.from_input()) {
          row[0] = 1;
        } else {
          row[i] = -3.0 / 7;
          if (i > 0) row[i - 1] = 3;
        }
      }
    const Table<double> samples(1, 0, {1.0}, {});
    EXPECT_TRUE(settle_with<double>(Rosenbrock{}, network, samples).settled(0)) << n;
  }
}

TEST(NetworkEquilibrium, FloatAgreesWithDoubleToItsTolerance) {
  std::uint64_t seed = 300;
  for (const Architecture& architecture : odd_architectures()) {
    const Network<float> network = random_network<float>(architecture, ++seed, 0.8);
    const Table<float> samples = random_samples<float>(architecture.inputs(), 20);
    const PlainNetwork plain(network);
    for (const Solver& solver : patient_solvers()) {
      const Equilibria<float> found = settle_with(solver, network, samples);
      for (std::size_t s = 0; s < samples.size(); ++s) {
        ASSERT_TRUE(found.settled(s)) << text_of(solver) << " on " << architecture.text();
        const Eigen::VectorXd want = plain.flow_limit(as_vector(samples.input_row(s)), 0.1, 2000, 1e-9);
        ASSERT_LE((as_vector(found.state(s)) - want).cwiseAbs().maxCoeff(), 1e-4)
            << text_of(solver) << architecture.text();
      }
    }
  }
}

// Wild dynamics: several equilibria, cycles, and long ways. What settles must be where the flow ends.
TEST(NetworkEquilibrium, AutoFollowsTheFlowOfStrongNetworks) {
  std::size_t flow_settles = 0, same = 0, invented = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Network<double> network = random_network<double>(Architecture::parse("4-5-2"), seed, 5);
    const Table<double> samples = random_samples<double>(4, 20, seed);
    const PlainNetwork plain(network);
    const Equilibria<double> found = settle_with<double>(Auto{}, network, samples);
    for (std::size_t s = 0; s < samples.size(); ++s) {
      const Eigen::VectorXd x = as_vector(samples.input_row(s)), want = plain.flow_limit(x, 0.1, 3000, 1e-11);
      const bool has_limit = plain.residual(want, x) <= 1e-11;
      flow_settles += has_limit;
      same +=
          has_limit && found.settled(s) && (as_vector(found.state(s)) - want).cwiseAbs().maxCoeff() <= 1e-6;
      invented += !has_limit && found.settled(s) && found.verdicts[s].residual > 1e-8;
    }
  }
  EXPECT_GE(flow_settles, 300u) << "too few to say anything";
  EXPECT_GE(double(same), 0.995 * double(flow_settles)) << same << " of " << flow_settles;
  EXPECT_EQ(invented, 0u);
}

// The shortcut is tried where the flow relaxes, and answers as the flow does or leaves the problem as it was.
TEST(Shortcut, FindsWhatTheFlowFindsOrLeavesNoTrace) {
  std::size_t taken = 0, left = 0;
  std::uint64_t seed = 0;
  for (const double strength : {0.8, 3.0, 10.0, 30.0}) {
    const Network<double> network = random_network<double>(Architecture::parse("6-60-3"), ++seed, strength);
    const Table<double> samples = random_samples<double>(6, 200, seed);
    const auto with = settle_with<double>(RosenbrockKrylov{}, network, samples);
    const auto without = settle_with<double>(RosenbrockKrylov{.shortcut = 0}, network, samples);
    for (std::size_t s = 0; s < samples.size(); ++s) {
      ASSERT_EQ(with.verdicts[s].outcome, without.verdicts[s].outcome) << strength << " sample " << s;
      const double distance = (as_vector(with.state(s)) - as_vector(without.state(s))).cwiseAbs().maxCoeff();
      distance == 0 ? ++left : ++taken;
      EXPECT_LE(distance, 1e-6) << strength << " sample " << s;
      if (distance > 0) {
        EXPECT_LT(with.verdicts[s].evaluations, without.verdicts[s].evaluations) << strength;
      }
    }
  }
  EXPECT_GE(taken, 200u) << "too few to say anything";
  EXPECT_GE(left, 200u) << "too few to say anything";
}

// The verdicts of a batch in which some samples settle at once, some late, some not at all.
template <class T>
struct Mixed {
  Network<T> network = random_network<T>(Architecture::parse("4-5-2tanh"), 12, 10);
  Table<T> samples = random_samples<T>(4, 90);
};

template <class T>
void expect_same_bits(const Equilibria<T>& whole, const Equilibria<T>& part, const Index& index,
                      const std::string& what) {
  for (std::size_t s = 0; s < index.size(); ++s) {
    const auto want = whole.state(index[s]), given = part.state(s);
    const Verdict &expected = whole.verdicts[index[s]], &verdict = part.verdicts[s];
    ASSERT_EQ(std::memcmp(want.data(), given.data(), want.size_bytes()), 0) << what << " sample " << index[s];
    ASSERT_EQ(verdict.outcome, expected.outcome) << what << " sample " << index[s];
    ASSERT_EQ(verdict.evaluations, expected.evaluations) << what << " sample " << index[s];
    ASSERT_EQ(std::memcmp(&verdict.residual, &expected.residual, sizeof(double)), 0)
        << what << " sample " << index[s];
  }
}

// Alone, in pairs, in every position of a register, backwards, shuffled, with repetitions.
std::vector<Index> ways_to_ask(std::size_t count) {
  Index all(count);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  std::vector<Index> ways = {
      all, {5, 5, 5, 7, 5}, Stream(1).permutation(count), Stream(2).permutation(count)};
  for (const std::size_t size : {1u, 2u, 3u, 17u, 33u})
    for (std::size_t first = 0; first + size <= count; first += size == 1 ? 7 : size + 4)
      ways.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(first),
                        all.begin() + static_cast<std::ptrdiff_t>(first + size));
  std::ranges::reverse(ways[0]);
  return ways;
}

template <class T>
void expect_same_bits_in_any_company(const Solver& solver) {
  const Mixed<T> mixed;
  const Equilibria<T> whole = settle_with(solver, mixed.network, mixed.samples);
  for (const std::size_t thread_count : {1u, 2u, 3u}) {
    ThreadPool threads(thread_count);
    Settler<T> settler(mixed.network, {solver}, threads);
    Equilibria<T> part;
    for (const Index& index : ways_to_ask(mixed.samples.size())) {
      settler.settle(mixed.samples, index, part);
      expect_same_bits(whole, part, index,
                       text_of(solver) + " on " + std::to_string(thread_count) + " threads,");
    }
  }
}

TEST(SameBits, AloneInAnyBatchAndPositionOnAnyNumberOfThreadsForEverySolverAndTarget) {
  kernels::for_each_target([](const char* target) {
    SCOPED_TRACE(target);
    for (const Solver& solver : all_solvers()) {
      expect_same_bits_in_any_company<float>(solver);
      expect_same_bits_in_any_company<double>(solver);
    }
  });
}

// Numbers that are none stay in what a lane remembers, and the next sample in it must not see them.
TEST(SameBits, ASampleThatDivergesLeavesNoTraceInItsLane) {
  const Network<float> network = random_network<float>(Architecture::parse("3-4relu-2identity"), 1, 20);
  const Table<float> samples = random_samples<float>(3, 300);
  std::vector<Solver> solvers = all_solvers();
  solvers.push_back(Anderson{.memory = 2, .damping = 1});
  std::size_t mixed = 0;
  for (const Solver& solver : solvers) {
    const Equilibria<float> whole = settle_with<float>(solver, network, samples);
    const Summary summary = whole.summary();
    mixed += summary.count[static_cast<std::size_t>(Outcome::not_finite)] >= 10 &&
             summary.count[static_cast<std::size_t>(Outcome::settled)] >= 10;
    for (std::uint64_t s = 0; s < samples.size(); ++s) {
      const auto row = samples.input_row(s);
      const Table<float> alone(3, 0, {row.begin(), row.end()}, {});
      expect_same_bits(whole, settle_with<float>(solver, network, alone), {s}, text_of(solver) + " alone,");
    }
    // Few at a time: lanes that are done go on idly until the last one is, and begin anew with the next call.
    ThreadPool one(1);
    Settler<float> settler(network, {.solver = solver}, one);
    Equilibria<float> part;
    for (std::uint64_t first = 0; first < samples.size(); first += 5) {
      const Index five = {first, first + 1, first + 2, first + 3, first + 4};
      settler.settle(samples, five, part);
      expect_same_bits(whole, part, five, text_of(solver) + " five at a time,");
    }
  }
  EXPECT_GE(mixed, 2u) << "too few to say anything";
}

TEST(SameBits, AWideNetworkAndOneWithoutRecurrenceKeepThemToo) {
  for (const char* text : {"6-60tanh-3", "6-20-3", "6-20-3/none"}) {
    const Network<float> network = random_network<float>(Architecture::parse(text), 4, 2);
    const Table<float> samples = random_samples<float>(6, 300);
    const Equilibria<float> whole = settle_with<float>(Auto{}, network, samples);
    for (const std::size_t count : {2u, 3u}) {
      Index all(samples.size());
      std::iota(all.begin(), all.end(), std::uint64_t{0});
      expect_same_bits(whole, settle_with<float>(Auto{}, network, samples, 0, count), all, text);
    }
    for (std::uint64_t s = 0; s < 300; s += 37) {
      const auto row = samples.input_row(s);
      const Table<float> alone(6, 0, {row.begin(), row.end()}, {});
      expect_same_bits(whole, settle_with<float>(Auto{}, network, alone), {s}, std::string(text) + " alone,");
    }
    ThreadPool one(1);
    Settler<float> settler(network, {}, one);
    Equilibria<float> part;
    for (std::uint64_t s = 0; s + 3 <= 300; s += 3) {
      settler.settle(samples, Index{s, s + 1, s + 2}, part);
      expect_same_bits(whole, part, {s, s + 1, s + 2}, std::string(text) + " three at a time,");
    }
  }
}

// More than a solver takes at once: chunks of several sizes, and parts larger than a chunk where registers are short.
TEST(SameBits, ChunksAndPartsOfAnySizeGiveThem) {
  const Network<float> network = random_network<float>(Architecture::parse("4-5-2tanh"), 11, 6);
  constexpr std::size_t count = 7001, offset = 13, part = 700;
  const Table<float> samples = random_samples<float>(4, count);
  kernels::for_each_target([&](const char* target) {
    SCOPED_TRACE(target);
    ThreadPool one(1);
    Settler<float> single(network, {}, one);
    Equilibria<float> whole{.neurons = 7, .states = std::vector<float>(count * 7), .verdicts = {}}, few;
    for (std::uint64_t s = 0; s < count; s += 10) {
      Index ten(std::min<std::size_t>(10, count - s));
      std::iota(ten.begin(), ten.end(), s);
      single.settle(samples, ten, few);
      std::ranges::copy(few.states, whole.states.begin() + static_cast<std::ptrdiff_t>(s * 7));
      whole.verdicts.insert(whole.verdicts.end(), few.verdicts.begin(), few.verdicts.end());
    }
    for (const std::size_t thread_count : {1u, 2u, 3u}) {
      ThreadPool threads(thread_count);
      Settler<float> settler(network, {}, threads);
      Index all(count);
      std::iota(all.begin(), all.end(), std::uint64_t{0});
      const std::string what = std::to_string(thread_count) + " threads,";
      expect_same_bits(whole, settler.settle(samples), all, what);
      std::vector<int> seen(count);
      settler.settle_parts(samples, offset, count - offset, part,
                           [&](std::size_t begin, const Equilibria<float>& states, std::size_t worker) {
                             ASSERT_LT(worker, thread_count);
                             ASSERT_EQ((begin - offset) % part, 0u);
                             Index index(states.size());
                             std::iota(index.begin(), index.end(), std::uint64_t(begin));
                             expect_same_bits(whole, states, index, what);
                             for (const std::uint64_t s : index) ++seen[s];
                           });
      EXPECT_EQ(std::count(seen.begin(), seen.begin() + offset, 0), std::ptrdiff_t{offset});
      EXPECT_EQ(std::count(seen.begin() + offset, seen.end(), 1), std::ptrdiff_t{count - offset});
    }
  });
}

TEST(SameBits, TheMixedBatchIsMixed) {
  const Mixed<double> mixed;
  const Summary summary = settle_with<double>(Auto{}, mixed.network, mixed.samples).summary();
  EXPECT_EQ(summary.samples, 90u);
  EXPECT_EQ(std::accumulate(summary.count.begin(), summary.count.end(), std::size_t{0}), 90u);
  EXPECT_GT(summary.settled_share(), 0);
  EXPECT_LT(summary.settled_share(), 1);
  EXPECT_LE(summary.max_residual_settled, 1e-8 * 100);
}

TEST(Settler, FollowsTheParametersWhenTheyChange) {
  Network<double> network = random_network<double>(Architecture::parse("4-5-2"), 1, 0.8);
  const Table<double> samples = random_samples<double>(4, 10);
  ThreadPool threads(1);
  Settler<double> settler(network, {}, threads);
  settler.settle(samples);
  for (double& v : network.parameters()) v *= -0.7;
  settler.update(network);
  Index all(samples.size());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  expect_same_bits(settle_with<double>(Auto{}, network, samples), settler.settle(samples), all, "updated");
}

TEST(Targets, EveryOneAgreesWithTheBestToRounding) {
  std::uint64_t seed = 500;
  for (const Architecture& architecture : odd_architectures()) {
    const Network<double> network = random_network<double>(architecture, ++seed, 0.8);
    const Table<double> samples = random_samples<double>(architecture.inputs(), 20);
    const Equilibria<double> best = settle_with<double>(Auto{}, network, samples, 1e-13);
    kernels::for_each_target([&](const char* target) {
      const Equilibria<double> found = settle_with<double>(Auto{}, network, samples, 1e-13);
      for (std::size_t k = 0; k < best.states.size(); ++k)
        ASSERT_NEAR(found.states[k], best.states[k], 2e-12) << target << " " << architecture.text();
    });
  }
}

}  // namespace
}  // namespace irn
