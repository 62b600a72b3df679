// A sample's answer has the same bits alone, in any batch, in any position, on any number of threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "irn/base/random.h"
#include "irn/kernels/targets_testing-inl.h"
#include "tests/support/settle_samples.h"
#include "tests/support/solvers.h"

namespace irn {
namespace {

using Index = std::vector<std::uint64_t>;

// The verdicts of a batch in which some samples settle at once, some late, some not at all.
template <class T>
struct Mixed {
  NetworkOf<T> network = random_network<T>(from_text<Architecture>("4-5-2tanh"), 12, 10);
  SampleTable<T> samples = random_samples<T>(4, 90);
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
    CpuSettler<T> settler(mixed.network, {solver}, threads);
    Equilibria<T> part;
    for (const Index& index : ways_to_ask(mixed.samples.size())) {
      settler.settle(mixed.samples, index, part);
      expect_same_bits(whole, part, index,
                       to_text(solver) + " on " + std::to_string(thread_count) + " threads,");
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

// A NaN may stay in a lane's memory, and the next sample in that lane must not see it.
TEST(SameBits, ASampleThatDivergesLeavesNoTraceInItsLane) {
  const NetworkOf<float> network = random_network<float>(from_text<Architecture>("3-4relu-2identity"), 1, 20);
  const SampleTable<float> samples = random_samples<float>(3, 300);
  std::vector<Solver> solvers = all_solvers();
  solvers.push_back(Anderson{.memory = 2, .damping = 1});
  std::size_t mixed = 0;
  for (const Solver& solver : solvers) {
    const Equilibria<float> whole = settle_with<float>(solver, network, samples);
    const Summary summary = whole.summary();
    mixed += summary.count[static_cast<std::size_t>(Outcome::not_finite)] >= 10 &&
             summary.count[static_cast<std::size_t>(Outcome::settled)] +
                     summary.count[static_cast<std::size_t>(Outcome::repels)] >=
                 10;
    for (std::uint64_t s = 0; s < samples.size(); ++s) {
      const auto row = samples.input_row(s);
      const SampleTable<float> alone(3, 0, {row.begin(), row.end()}, {});
      expect_same_bits(whole, settle_with<float>(solver, network, alone), {s}, to_text(solver) + " alone,");
    }
    // Few at a time: lanes that are done idle until the last one is, and begin anew with the next call.
    ThreadPool one(1);
    CpuSettler<float> settler(network, {.solver = solver}, one);
    Equilibria<float> part;
    for (std::uint64_t first = 0; first < samples.size(); first += 5) {
      const Index five = {first, first + 1, first + 2, first + 3, first + 4};
      settler.settle(samples, five, part);
      expect_same_bits(whole, part, five, to_text(solver) + " five at a time,");
    }
  }
  EXPECT_GE(mixed, 2u) << "too few to say anything";
}

TEST(SameBits, AWideNetworkAndOneWithoutRecurrenceKeepThemToo) {
  for (const char* text : {"6-60tanh-3", "6-20-3", "6-20-3/none"}) {
    const NetworkOf<float> network = random_network<float>(from_text<Architecture>(text), 4, 2);
    const SampleTable<float> samples = random_samples<float>(6, 300);
    const Equilibria<float> whole = settle_with<float>(Auto{}, network, samples);
    for (const std::size_t count : {2u, 3u}) {
      Index all(samples.size());
      std::iota(all.begin(), all.end(), std::uint64_t{0});
      expect_same_bits(whole, settle_with<float>(Auto{}, network, samples, 0, count), all, text);
    }
    for (std::uint64_t s = 0; s < 300; s += 37) {
      const auto row = samples.input_row(s);
      const SampleTable<float> alone(6, 0, {row.begin(), row.end()}, {});
      expect_same_bits(whole, settle_with<float>(Auto{}, network, alone), {s}, std::string(text) + " alone,");
    }
    ThreadPool one(1);
    CpuSettler<float> settler(network, {}, one);
    Equilibria<float> part;
    for (std::uint64_t s = 0; s + 3 <= 300; s += 3) {
      settler.settle(samples, Index{s, s + 1, s + 2}, part);
      expect_same_bits(whole, part, {s, s + 1, s + 2}, std::string(text) + " three at a time,");
    }
  }
}

// More than a solver takes at once: chunks of several sizes, and parts larger than a chunk if registers are
// short.
TEST(SameBits, ChunksAndPartsOfAnySizeGiveThem) {
  const NetworkOf<float> network = random_network<float>(from_text<Architecture>("4-5-2tanh"), 11, 6);
  constexpr std::size_t count = 7001, offset = 13, part = 700;
  const SampleTable<float> samples = random_samples<float>(4, count);
  kernels::for_each_target([&](const char* target) {
    SCOPED_TRACE(target);
    ThreadPool one(1);
    CpuSettler<float> single(network, {}, one);
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
      CpuSettler<float> settler(network, {}, threads);
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
  NetworkOf<double> network = random_network<double>(from_text<Architecture>("4-5-2"), 1, 0.8);
  const SampleTable<double> samples = random_samples<double>(4, 10);
  ThreadPool threads(1);
  CpuSettler<double> settler(network, {}, threads);
  settler.settle(samples);
  for (double& v : network.parameters()) v *= -0.7;
  settler.update(network);
  Index all(samples.size());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  expect_same_bits(settle_with<double>(Auto{}, network, samples), settler.settle(samples), all, "updated");
}

}  // namespace
}  // namespace irn
