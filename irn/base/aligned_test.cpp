#include "irn/base/aligned.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace irn {
namespace {

TEST(AlignedBuffer, StartsOnACacheLineAndAtZero) {
  for (std::size_t size : {1, 3, 16, 1000}) {
    const AlignedBuffer<float> buffer(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    ASSERT_EQ(buffer.size(), size);
    for (float value : buffer) EXPECT_EQ(value, 0.0f);
  }
}

TEST(AlignedBuffer, MovingHandsTheMemoryOver) {
  AlignedBuffer<int> source(4);
  source[2] = 7;
  const int* memory = source.data();
  AlignedBuffer<int> target(1);
  target = std::move(source);
  EXPECT_EQ(target.data(), memory);
  EXPECT_EQ(target.span()[2], 7);
  EXPECT_TRUE(source.empty());  // NOLINT(bugprone-use-after-move): the state after a move is promised
}

TEST(AlignedBuffer, MovingOntoItselfKeepsTheValues) {
  AlignedBuffer<int> buffer(2);
  buffer.fill(5);
  AlignedBuffer<int>& itself = buffer;
  buffer = std::move(itself);
  ASSERT_EQ(buffer.size(), 2u);
  EXPECT_EQ(buffer[1], 5);
}

TEST(AlignedBuffer, EmptyHoldsNothing) {
  AlignedBuffer<double> buffer(0);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.begin(), buffer.end());
  EXPECT_TRUE(buffer.span().empty());
}

TEST(AlignedBuffer, SizesBeyondTheAddressSpaceAreRefused) {
  EXPECT_THROW(AlignedBuffer<double>(SIZE_MAX / 4), std::bad_alloc);
}

}  // namespace
}  // namespace irn
