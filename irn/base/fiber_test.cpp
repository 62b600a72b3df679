// Functions that stop in the middle: in turns, with exceptions, abandoned.
#include "irn/base/fiber.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "irn/base/threads.h"

namespace irn {
namespace {

TEST(Fiber, ManyTakeTurnsAndKeepTheirVariables) {
  std::string seen;
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (char name : {'a', 'b', 'c'})
    fibers.push_back(std::make_unique<Fiber>([name, &seen](Fiber& self) {
      for (char round = '0'; round < '3'; ++round, self.wait()) seen += {name, round};
    }));
  for (int round = 0; round < 3; ++round)
    for (auto& fiber : fibers) EXPECT_TRUE(fiber->resume());
  for (auto& fiber : fibers) EXPECT_FALSE(fiber->resume());
  EXPECT_EQ(seen, "a0b0c0a1b1c1a2b2c2");
}

TEST(Fiber, WhatTheBodyThrowsReachesWhoeverResumesIt) {
  Fiber fiber([](Fiber& self) {
    self.wait();
    throw std::runtime_error("inside");
  });
  EXPECT_TRUE(fiber.resume());
  EXPECT_THROW(fiber.resume(), std::runtime_error);
}

TEST(Fiber, OneThatIsAbandonedIsUnwound) {
  const auto held = std::make_shared<int>(1);
  {
    Fiber waiting([held](Fiber& self) {
      const auto inside = held;
      self.wait();
      FAIL() << "taken up after its end";
    });
    Fiber never_begun([held](Fiber&) { FAIL(); });
    EXPECT_TRUE(waiting.resume());
    EXPECT_GT(held.use_count(), 3);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Fiber, MayBeAbandonedByAnException) {
  const auto held = std::make_shared<int>(1);
  try {
    Fiber fiber([&](Fiber& self) {
      const auto inside = held;
      self.wait();
    });
    fiber.resume();
    throw std::runtime_error("outside");
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "outside");
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Fiber, GoesOnOnWhicheverThreadResumesIt) {
  constexpr std::size_t count = 64;
  std::vector<std::size_t> sums(count, 0);
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (std::size_t i = 0; i < count; ++i)
    fibers.push_back(std::make_unique<Fiber>([&sums, i](Fiber& self) {
      for (std::size_t k = 0; k < 10; ++k, self.wait()) sums[i] += i * k;
    }));
  ThreadPool threads(4);
  for (int round = 0; round < 10; ++round)
    threads.for_each(count, [&](std::size_t i, std::size_t) { fibers[i]->resume(); });
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(sums[i], 45 * i);
}

TEST(Fiber, AStackThatMemoryCannotHoldIsRefused) {
  EXPECT_THROW(Fiber([](Fiber&) {}, std::size_t{1} << 60), std::bad_alloc);
}

}  // namespace
}  // namespace irn
