#include "irn/base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "irn/base/error.h"

namespace irn {
namespace {

class ThreadPoolOfSize : public testing::TestWithParam<std::size_t> {
 protected:
  ThreadPool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, ThreadPoolOfSize, testing::Values(1, 2, 3, 8), testing::PrintToStringParamName());

TEST_P(ThreadPoolOfSize, RunsEveryTaskOnce) {
  for (std::size_t count : {0, 1, 2, 7, 1000}) {
    std::vector<int> runs(count);
    pool.for_each(count, [&](std::size_t task, std::size_t) { ++runs[task]; });
    EXPECT_EQ(runs, std::vector<int>(count, 1));
  }
}

TEST_P(ThreadPoolOfSize, NoTwoTasksShareAWorkerNumberAtOnce) {
  std::vector<std::atomic<int>> busy(pool.size());
  std::atomic<int> collisions = 0;
  pool.for_each(500, [&](std::size_t, std::size_t worker) {
    if (busy.at(worker)++ != 0) ++collisions;
    std::this_thread::yield();
    --busy[worker];
  });
  EXPECT_EQ(collisions, 0);
}

TEST_P(ThreadPoolOfSize, SurvivesManyShortCalls) {
  std::atomic<std::uint64_t> sum = 0;
  for (std::uint64_t call = 0; call < 2000; ++call) {
    pool.for_each(4, [&](std::size_t task, std::size_t) { sum += call * task; });
  }
  EXPECT_EQ(sum, 6u * 1999 * 2000 / 2);
}

TEST_P(ThreadPoolOfSize, WakesUpAfterAPause) {
  for (int call = 0; call < 3; ++call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> runs = 0;
    pool.for_each(16, [&](std::size_t, std::size_t) { ++runs; });
    EXPECT_EQ(runs, 16);
  }
}

TEST_P(ThreadPoolOfSize, TheLowestFailingTaskIsReportedOnAnyNumberOfThreads) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    try {
      pool.for_each(50, [&](std::size_t task, std::size_t) {
        if (task % 10 == 7) throw std::runtime_error("task " + std::to_string(task));
      });
      FAIL() << "no exception reached the caller";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "task 7");
    }
  }
  int runs = 0;
  pool.for_each(1, [&](std::size_t, std::size_t) { ++runs; });
  EXPECT_EQ(runs, 1) << "the pool must work after a failure";
}

TEST_P(ThreadPoolOfSize, NestedCallsRunInPlaceUnderTheSameWorker) {
  std::atomic<int> runs = 0, strangers = 0;
  pool.for_each(20, [&](std::size_t, std::size_t outer) {
    const auto thread = std::this_thread::get_id();
    pool.for_each(10, [&](std::size_t, std::size_t inner) {
      if (inner != outer || std::this_thread::get_id() != thread) ++strangers;
      ++runs;
    });
  });
  EXPECT_EQ(runs, 200);
  EXPECT_EQ(strangers, 0);
}

TEST_P(ThreadPoolOfSize, CallsFromSeveralThreadsTakeTurns) {
  std::atomic<int> runs = 0, together = 0;
  std::vector<std::atomic<int>> inside(pool.size());
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int call = 0; call < 100; ++call)
        pool.for_each(5, [&](std::size_t, std::size_t worker) {
          if (inside[worker]++ > 0) ++together;
          std::this_thread::yield();
          --inside[worker];
          ++runs;
        });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(runs, 3 * 100 * 5);
  if (pool.size() > 1) {
    EXPECT_EQ(together, 0) << "two tasks under one worker's number at once";
  }
}

TEST(ThreadPool, OneThreadRunsInOrderInTheCaller) {
  ThreadPool pool(1);
  std::vector<std::size_t> order;
  pool.for_each(5, [&](std::size_t task, std::size_t worker) {
    EXPECT_EQ(worker, 0u);
    order.push_back(task);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(ThreadPool, TwoTasksThatWaitForEachOtherFinish) {
  ThreadPool pool(2);
  std::atomic<int> here = 0;
  pool.for_each(2, [&](std::size_t, std::size_t) {
    ++here;
    while (here < 2) std::this_thread::yield();
  });
  EXPECT_EQ(here, 2) << "tasks ran one after the other";
}

TEST(ThreadPool, RangesMakeUpTheWholeAndAreNotShort) {
  ThreadPool pool(3);
  for (const std::size_t size : {0u, 1u, 9u, 10u, 29u, 30u, 31u, 1000u}) {
    std::vector<std::atomic<int>> seen(size);
    std::atomic<std::size_t> ranges = 0;
    pool.for_ranges(size, 10, [&](std::size_t first, std::size_t count) {
      ++ranges;
      EXPECT_TRUE(count >= 10 || count == size) << count << " of " << size;
      for (std::size_t i = first; i < first + count; ++i) ++seen[i];
    });
    for (const auto& times : seen) EXPECT_EQ(times, 1) << size;
    EXPECT_EQ(ranges, std::clamp<std::size_t>(size / 10, 1, 3)) << size;
  }
}

TEST(ThreadPool, ZeroMeansAllHardwareThreads) {
  EXPECT_EQ(ThreadPool(0).size(), std::max(1u, std::thread::hardware_concurrency()));
}

TEST(ThreadPool, RefusesAbsurdSizes) { EXPECT_THROW(ThreadPool(1'000'000), Error); }

}  // namespace
}  // namespace irn
