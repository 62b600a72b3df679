// A solve allocates nothing: this program's own operators new count.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "irn/data/sample_table.h"
#include "irn/equilibrium/cpu_settler.h"
#include "tests/support/count_allocations.h"
#include "tests/support/plain_network.h"
#include "tests/support/solvers.h"

namespace irn {
namespace {

template <class T>
std::size_t allocations_of_a_second_settle(const Solver& solver, const char* text, std::size_t thread_count) {
  const NetworkOf<T> network = random_network<T>(from_text<Architecture>(text), 11, 2);
  const SampleTable<T> samples(4, 0, random_numbers<T>(4 * 300, 1), {});
  std::vector<std::uint64_t> index(samples.size());
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  ThreadPool threads(thread_count);
  CpuSettler<T> settler(network, {solver}, threads);
  Equilibria<T> out;
  settler.settle(samples, index, out);
  const std::size_t before = allocations;
  settler.settle(samples, index, out);
  return allocations - before;
}

TEST(Allocation, IsCounted) {
  if (!allocations_are_counted) GTEST_SKIP() << "the thread sanitizer has operators new of its own";
  const std::size_t before = allocations;
  std::vector<int> numbers(100);
  EXPECT_EQ(numbers.back(), 0);
  EXPECT_GT(allocations, before);
}

TEST(Allocation, NorDoPartsOfALargeBatch) {
  const NetworkOf<float> network = random_network<float>(from_text<Architecture>("4-5-2"), 11, 2);
  const SampleTable<float> samples(4, 0, random_numbers<float>(4 * 20'000, 1), {});
  for (const std::size_t thread_count : {1u, 2u, 4u}) {
    ThreadPool threads(thread_count);
    CpuSettler<float> settler(network, {}, threads);
    std::atomic<std::size_t> seen = 0;
    const CpuSettler<float>::Visitor count = [&](std::size_t, const Equilibria<float>& states, std::size_t) {
      seen += states.size();
    };
    settler.settle_parts(samples, 0, samples.size(), 128, count);
    const std::size_t before = allocations;
    for (int again = 0; again < 5; ++again) settler.settle_parts(samples, 0, samples.size(), 128, count);
    EXPECT_EQ(allocations - before, 0u) << thread_count << " threads";
    EXPECT_EQ(seen, 6 * samples.size());
  }
}

TEST(Allocation, NoSolverAllocatesOnceItHasRun) {
  for (const Solver& solver : all_solvers())
    for (const std::size_t thread_count : {1u, 2u}) {
      EXPECT_EQ(allocations_of_a_second_settle<float>(solver, "4-5-2", thread_count), 0u) << to_text(solver);
      EXPECT_EQ(allocations_of_a_second_settle<double>(solver, "4-60-2", thread_count), 0u)
          << to_text(solver);
      EXPECT_EQ(allocations_of_a_second_settle<float>(solver, "4-5-2/none", thread_count), 0u)
          << to_text(solver);
    }
}

}  // namespace
}  // namespace irn
