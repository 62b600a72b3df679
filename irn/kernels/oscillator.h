// The damped oscillator x'' + 2 d x' + w0^2 x = 0, many samples at a time. A sample is a pure function of the
// seed and its index: Philox gives 128 bits, an injective mapping gives (x0, v0, w0, d), the exact propagator
// gives x(t).
// Arguments are not checked here, but in irn/data/oscillator.h, which the rest of the library uses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace irn::kernels {

struct OscillatorPlan {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;  // added to every index
  std::size_t points = 0;   // x(0), x(h), ..., x((points - 1) h)
  double substep = 0;       // h = substep * 2^doublings
  int doublings = 0;
  double spread = 0;  // standard deviation of x0 and v0
};

// The largest substep. For it, the remainders of the kernel's truncated power series are below 1e-17.
inline constexpr double largest_substep = 0.1;

// out[k * width + lane] = x(t_k) of sample index[lane]; lanes from index.size() to width are set to 0.
void oscillator_lanes(const OscillatorPlan& plan, std::span<const std::uint64_t> index, std::size_t width,
                      float* out);
void oscillator_lanes(const OscillatorPlan& plan, std::span<const std::uint64_t> index, std::size_t width,
                      double* out);

// out[s * points + k], the same bits.
void oscillator_rows(const OscillatorPlan& plan, std::span<const std::uint64_t> index, float* out);
void oscillator_rows(const OscillatorPlan& plan, std::span<const std::uint64_t> index, double* out);

struct OscillatorParameters {
  double x0, v0, w0, d;
};
void oscillator_parameters(const OscillatorPlan& plan, std::span<const std::uint64_t> index,
                           OscillatorParameters* out);

// Counter words 2 and 3 of every sample's Philox block; other uses of the same seed have other streams.
inline constexpr std::uint64_t oscillator_stream = 0x6F736369;  // "osci"

// The generator alone, for tests against published vectors.
using PhiloxWords = std::array<std::uint32_t, 4>;
void philox4x32(std::span<const PhiloxWords> counters, std::uint64_t key, PhiloxWords* out);

}  // namespace irn::kernels
