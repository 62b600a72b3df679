// Random numbers without a state: number i of stream s under a seed is a pure function of (seed, s, i), so it
// does not matter who draws it, when, or on which thread. The generator is Philox4x32-10 (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011), which is also available on GPUs.
//
// Every function uses only correctly rounded operations: the bits are the same on every machine.
// Give each use its own stream; do not draw both uniform(i) and normal(i) from one, as they share their bits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace irn {

class Stream {
 public:
  explicit Stream(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  // 128 random bits: Philox with key = seed and counter = (counter, stream), low words first.
  std::array<std::uint32_t, 4> block(std::uint64_t counter) const;

  // 64 random bits: half of block(i / 2).
  std::uint64_t bits(std::uint64_t i) const;

  // Uniform on [0, 1): a multiple of 2^-53.
  double uniform(std::uint64_t i) const;

  // Uniform on [low, high); for high - low much smaller than |low|, rounding may give `high` itself.
  double uniform(std::uint64_t i, double low, double high) const { return low + (high - low) * uniform(i); }

  // Uniform on 0 ... n-1, up to n / 2^64; n must not be 0.
  std::uint64_t below(std::uint64_t i, std::uint64_t n) const;

  // Standard normal, within about 8.29 (the quantile of 2^-54) of zero.
  double normal(std::uint64_t i) const;

  // 0 ... n-1 in random order.
  std::vector<std::uint64_t> permutation(std::uint64_t n) const;

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

// The x > 0 that a standard normal variable exceeds with probability `tail`, for 0 < tail < 1/2.
double normal_quantile(double tail);

}  // namespace irn
