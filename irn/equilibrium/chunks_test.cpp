#include "irn/equilibrium/chunks.h"

#include <gtest/gtest.h>

namespace irn {
namespace {

std::vector<std::size_t> sizes_of_chunks(std::size_t count, std::size_t threads, std::size_t grain,
                                         ChunkShape shape) {
  std::vector<std::size_t> ends, sizes;
  cut_into_chunks(count, threads, grain, shape, ends);
  for (std::size_t k = 0; k < ends.size(); ++k) sizes.push_back(ends[k] - (k == 0 ? 0 : ends[k - 1]));
  return sizes;
}
using Sizes = std::vector<std::size_t>;

TEST(Chunks, OneForEveryThreadWhereThatIsEnough) {
  EXPECT_EQ(sizes_of_chunks(256, 2, 16, {16, 1024}), (Sizes{128, 128}));
  EXPECT_EQ(sizes_of_chunks(100, 2, 16, {16, 64}), (Sizes{64, 36}));
  EXPECT_EQ(sizes_of_chunks(6, 16, 8, {8, 8}), (Sizes{6}));
  EXPECT_EQ(sizes_of_chunks(0, 3, 16, {16, 64}), Sizes{});
}

TEST(Chunks, OfOneSizeOnOneThread) {
  EXPECT_EQ(sizes_of_chunks(2560, 1, 16, {16, 1024}), (Sizes{864, 864, 832}));
}

TEST(Chunks, BecomeSmallerTowardsTheEnd) {
  EXPECT_EQ(sizes_of_chunks(4096, 2, 16, {16, 1024}),
            (Sizes{1024, 768, 576, 432, 336, 240, 192, 144, 128, 128, 128}));
}

TEST(Chunks, MakeUpTheWholeInWholeGrainsWithinTheCapacity) {
  for (const std::size_t count : {1u, 7u, 16u, 100u, 1000u, 70'001u})
    for (const std::size_t threads : {1u, 2u, 3u, 16u, 1000u})
      for (const std::size_t grain : {1u, 16u, 128u, 700u})
        for (const ChunkShape shape : {ChunkShape{1, 32}, ChunkShape{8, 8}, ChunkShape{16, 1024}}) {
          std::size_t sum = 0, last = SIZE_MAX;
          for (const std::size_t size : sizes_of_chunks(count, threads, grain, shape)) {
            sum += size;
            EXPECT_GE(size, 1u);
            EXPECT_LE(size, std::max(shape.capacity, grain));
            EXPECT_TRUE(size % grain == 0 || sum == count);
            EXPECT_LE(size, last);
            last = size;
          }
          EXPECT_EQ(sum, count) << threads << " threads, grains of " << grain;
        }
}

}  // namespace
}  // namespace irn
