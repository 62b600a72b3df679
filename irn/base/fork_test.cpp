// A child of a fork has its parent's memory but none of its threads.
#include "irn/base/fork.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "irn/base/threads.h"

namespace irn {
namespace {

// The exit status of a child that runs body(), with a time limit of some seconds.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fork, IsCounted) {
  const std::uint64_t before = forks();
  EXPECT_EQ(in_child([&] { return forks() == before + 1 ? 0 : 1; }), 0);
  EXPECT_EQ(forks(), before);
}

TEST(Fork, LeavesAPoolThatWorksAndEnds) {
  auto pool = std::make_unique<ThreadPool>(4);
  std::atomic<int> sum = 0;
  const auto add = [&](std::size_t task, std::size_t) { sum += int(task); };
  pool->for_each(100, add);
  EXPECT_EQ(in_child([&] {
              pool->for_each(100, add);
              pool.reset();
              return sum == 2 * 4950 ? 0 : 1;
            }),
            0);
  pool->for_each(100, add);
  EXPECT_EQ(sum, 2 * 4950);
}

}  // namespace
}  // namespace irn
