// The oscillator as drawn by one thread of a device, compiled for the host: the same samples as the
// processor's.
#include "irn/engine/cuda/oscillator_thread-inl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "irn/base/random.h"
#include "irn/data/oscillator.h"

namespace irn {
namespace {

TEST(OscillatorThread, DrawsTheBitsOfAStream) {
  const Stream stream(0x123456789ABCDEFu, 1007);
  for (const std::uint64_t i : {0u, 1u, 2u, 7u, 1000001u}) {
    EXPECT_EQ(plain::draw_below(0x123456789ABCDEFu, 1007, i, 3'200'000), stream.below(i, 3'200'000));
    EXPECT_EQ(plain::draw_below(0x123456789ABCDEFu, 1007, i, ~std::uint64_t{0}),
              stream.below(i, ~std::uint64_t{0}));
  }
}

// The largest distance from Oscillator<float>, relative to the sample's largest point.
double farthest(const OscillatorOptions& options) {
  const Oscillator<float> samples(options);
  std::vector<float> points(options.points), targets(2);
  double far = 0;
  for (std::uint64_t i = 0; i < options.count; ++i) {
    samples.inputs_as_rows(std::span(&i, 1), points.data());
    samples.targets_as_rows(std::span(&i, 1), targets.data());
    plain::OscillatorThread thread(samples.plan(), i);
    EXPECT_EQ(thread.target(0), targets[0]);
    EXPECT_EQ(thread.target(1), targets[1]);
    float size = 0, block[plain::OscillatorThread::block];
    for (const float x : points) size = std::max(size, std::abs(x));
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (k % plain::OscillatorThread::block == 0) thread.next(block);
      far = std::max(far, double(std::abs(block[k % plain::OscillatorThread::block] - points[k]) / size));
    }
  }
  return far;
}

TEST(OscillatorThread, IsTheProcessorsToRounding) {
  EXPECT_LE(farthest({.seed = 1, .count = 5000}), 2e-7);
  EXPECT_LE(
      farthest({.seed = 9, .first = std::uint64_t{1} << 40, .count = 500, .points = 37, .time_step = 1.3}),
      1e-6);
}

}  // namespace
}  // namespace irn
