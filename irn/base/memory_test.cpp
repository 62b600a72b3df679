#include "irn/base/memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "irn/base/aligned.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

TEST(Memory, AProductThatNoMemoryHoldsIsNoProduct) {
  EXPECT_EQ(allocatable(3, 4), 12u);
  EXPECT_EQ(allocatable(0, SIZE_MAX), 0u);
  EXPECT_EQ(allocatable(SIZE_MAX, 0), 0u);
  for (const std::size_t other : {1u, 8u, 16u})
    EXPECT_THROW(allocatable(std::size_t{1} << 60, other), std::bad_alloc);
}

TEST(Memory, WhatIsNotThereIsRefusedInOneLineThatNamesTheThing) {
  const auto what = [] { return "the states of 8 samples"; };
  const std::string line = "not enough memory for the states of 8 samples; ask for less";
  EXPECT_EQ(refusal([&] { within_memory([] { std::vector<double> v(allocatable(SIZE_MAX)); }, what); }),
            line);
  EXPECT_EQ(refusal([&] { within_memory([] { AlignedBuffer<double> b(SIZE_MAX / 4); }, what); }), line);
  EXPECT_EQ(refusal([&] { within_memory([] { allocatable(SIZE_MAX, 2); }, what); }), line);
  EXPECT_EQ(within_memory([] { return 7; }, what), 7);
}

}  // namespace
}  // namespace irn
