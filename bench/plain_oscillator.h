// Trajectories of irn/data/oscillator.h in the most direct code: one sample at a time, with functions of the
// standard library. The reference for the kernel; the two agree to rounding, not to the bit.
#pragma once

#include <cmath>
#include <numbers>

#include "irn/base/random.h"
#include "irn/data/oscillator.h"

namespace irn::bench {

inline OscillatorParameters plain_parameters(const OscillatorOptions& options, std::uint64_t index) {
  const auto w = Stream(options.seed, kernels::oscillator_stream).block(options.first + index);
  const double radius = options.spread * std::sqrt(-2 * std::log((w[0] + 0.5) * 0x1p-32));
  const double angle = (2.0 * (w[1] & 0x3FFFFFFF) + 1 - 0x1p30) * (std::numbers::pi * 0x1p-32);
  const double along = (w[1] >> 31 ? -1 : 1) * radius * std::cos(angle), across = radius * std::sin(angle);
  const bool upright = w[1] >> 30 & 1;
  return {upright ? across : along, upright ? along : across, 1 + (w[2] + 0.5) * 0x1p-32,
          (w[3] + 0.5) * 0x1p-31};
}

// out[k * stride] = x(k h), by repeated application of the propagator over one time step.
template <class T>
void plain_trajectory(const OscillatorOptions& options, std::uint64_t index, std::size_t stride, T* out) {
  const auto [x0, v0, w0, d] = plain_parameters(options, index);
  const double h = options.time_step, w2 = w0 * w0 - d * d, w = std::sqrt(std::abs(w2)), e = std::exp(-d * h);
  const double c = w2 > 0 ? std::cos(w * h) : std::cosh(w * h);
  const double s = w == 0 ? h : (w2 > 0 ? std::sin(w * h) : std::sinh(w * h)) / w;
  double x = x0, v = v0;
  for (std::size_t k = 0; k < options.points; ++k) {
    out[k * stride] = T(x);
    const double next = e * ((c + d * s) * x + s * v);
    v = e * ((c - d * s) * v - w0 * w0 * s * x);
    x = next;
  }
}

}  // namespace irn::bench
