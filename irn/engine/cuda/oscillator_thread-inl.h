// Sample i of the damped oscillator (irn/data/oscillator.h) as drawn by one thread: the same 128 bits of
// Philox, the same mapping and the same propagator as irn/kernels/oscillator_draw-inl.h and
// oscillator_trajectory-inl.h, in plain numbers. What depends on the index alone is computed in double, the
// points of the trajectory in float. They agree with Oscillator<float> to its rounding
// (oscillator_thread_test.cpp).
#ifndef IRN_ENGINE_CUDA_OSCILLATOR_THREAD_INL_H_
#define IRN_ENGINE_CUDA_OSCILLATOR_THREAD_INL_H_

#include "irn/engine/cuda/device_text-inl.h"
//
#include <cmath>
#include <cstdint>

#include "irn/kernels/oscillator.h"

namespace irn::plain {

struct PhiloxWords4 {
  std::uint32_t word[4];
};

// Block `counter` of a stream, as given by Stream::block().
IRN_INLINE PhiloxWords4 philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  auto c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32),
       c2 = static_cast<std::uint32_t>(stream), c3 = static_cast<std::uint32_t>(stream >> 32);
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0, p1 = std::uint64_t{0xCD9E8D57u} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1), c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

// floor(a b / 2^64)
IRN_INLINE std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low = 0xFFFFFFFFu, a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & low);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

// Number i below n of a stream, as given by Stream::below().
IRN_INLINE std::uint64_t draw_below(std::uint64_t seed, std::uint64_t stream, std::uint64_t i,
                                    std::uint64_t n) {
  const PhiloxWords4 words = philox(seed, stream, i / 2);
  const bool odd = i % 2 != 0;
  const std::uint32_t low = odd ? words.word[2] : words.word[0], high = odd ? words.word[3] : words.word[1];
  return multiply_high(low | std::uint64_t{high} << 32, n);
}

// M = c + s K with K K = -rate2: see oscillator_trajectory-inl.h.
template <class T>
struct Propagator {
  T c, s;
};
template <class T>
IRN_INLINE Propagator<T> product(const Propagator<T>& a, const Propagator<T>& b, T rate2) {
  return {std::fma(-a.s * rate2, b.s, a.c * b.c), std::fma(a.c, b.s, a.s * b.c)};
}

// sin and cos for |a| <= pi / 4, by their series.
IRN_INLINE void sine_cosine(double a, double& sine, double& cosine) {
  const double y = a * a;
  double s = -1.0 / 1307674368000, c = 1.0 / 20922789888000;
  s = std::fma(s, y, 1.0 / 6227020800), c = std::fma(c, y, -1.0 / 87178291200);
  s = std::fma(s, y, -1.0 / 39916800), c = std::fma(c, y, 1.0 / 479001600);
  s = std::fma(s, y, 1.0 / 362880), c = std::fma(c, y, -1.0 / 3628800);
  s = std::fma(s, y, -1.0 / 5040), c = std::fma(c, y, 1.0 / 40320);
  s = std::fma(s, y, 1.0 / 120), c = std::fma(c, y, -1.0 / 720);
  s = std::fma(s, y, -1.0 / 6), c = std::fma(c, y, 1.0 / 24);
  c = std::fma(c, y, -0.5);
  sine = std::fma(s * y, a, a);
  cosine = std::fma(c, y, 1.0);
}

// e^-y for 0 <= y <= 2 largest_substep.
IRN_INLINE double decay(double y) {
  double e = -1.0 / 39916800, factorial = 3628800;
  IRN_UNROLL
  for (int k = 10; k >= 0; --k) {
    e = std::fma(e, y, (k % 2 == 0 ? 1.0 : -1.0) / factorial);
    factorial /= k > 0 ? k : 1;
  }
  return e;
}

// M(h) by its series at the substep, then squared.
IRN_INLINE Propagator<double> one_step(const kernels::OscillatorPlan& plan, double d, double rate2) {
  const double h = plan.substep, q = rate2 * (h * h);
  double c = std::fma(-q, 1.0 / 3628800, 1.0 / 40320), s = std::fma(-q, 1.0 / 39916800, 1.0 / 362880);
  c = std::fma(-c, q, 1.0 / 720), s = std::fma(-s, q, 1.0 / 5040);
  c = std::fma(-c, q, 1.0 / 24), s = std::fma(-s, q, 1.0 / 120);
  c = std::fma(-c, q, 0.5), s = std::fma(-s, q, 1.0 / 6);
  c = std::fma(-c, q, 1.0), s = std::fma(-s, q, 1.0);
  const double e = decay(d * h);
  Propagator<double> m{e * c, e * h * s};
  for (int i = 0; i < plan.doublings; ++i) m = product(m, m, rate2);
  return m;
}

// One sample: its targets, and its points in groups of eight.
class OscillatorThread {
 public:
  static constexpr std::size_t block = 8;

  IRN_FN OscillatorThread(const kernels::OscillatorPlan& plan, std::uint64_t index) {
    const PhiloxWords4 bits = philox(plan.seed, kernels::oscillator_stream, plan.first + index);
    const double unit = 0x1p-32, radius = plan.spread * std::sqrt(-2 * std::log((bits.word[0] + 0.5) * unit));
    double across, along;
    const std::uint32_t place = bits.word[1];
    const auto odd = static_cast<std::int32_t>((place << 1 & 0x7FFFFFFFu) | 1u);
    sine_cosine((double(odd) - 0x1p30) * (3.14159265358979323846 * 0x1p-32), across, along);
    if (place >> 31) along = -along;
    const bool upright = (place & 0x40000000u) != 0;
    const double w0 = std::fma(bits.word[2] + 0.5, unit, 1.0), d = (bits.word[3] + 0.5) * 0x1p-31;
    target_[0] = static_cast<float>(w0 - 1);
    target_[1] = static_cast<float>(d / 2);
    x_ = static_cast<float>(radius * (upright ? across : along));
    v_ = static_cast<float>(radius * (upright ? along : across));
    prepare(plan, w0, d);
  }

  IRN_INLINE float target(std::size_t k) const { return target_[k]; }

  // The next eight points.
  IRN_INLINE void next(float (&points)[block]) {
    points[0] = x_;
    IRN_UNROLL
    for (std::size_t r = 1; r < block; ++r) points[r] = std::fma(alpha_[r - 1], x_, beta_[r - 1] * v_);
    const float x = std::fma(advance_[0], x_, advance_[1] * v_);
    v_ = std::fma(advance_[2], x_, advance_[3] * v_);
    x_ = x;
  }

 private:
  IRN_INLINE void prepare(const kernels::OscillatorPlan& plan, double w0, double d) {
    const double w2 = w0 * w0, rate2 = std::fma(-d, d, w2);
    const Propagator<double> one = one_step(plan, d, rate2), two = product(one, one, rate2),
                             four = product(two, two, rate2), m = product(four, four, rate2);
    advance_[0] = static_cast<float>(std::fma(d, m.s, m.c));
    advance_[1] = static_cast<float>(m.s);
    advance_[2] = static_cast<float>(-(w2 * m.s));
    advance_[3] = static_cast<float>(std::fma(-d, m.s, m.c));
    const float rate = static_cast<float>(rate2), damping = static_cast<float>(d);
    Propagator<float> power[block];
    power[1] = {static_cast<float>(one.c), static_cast<float>(one.s)};
    IRN_UNROLL
    for (std::size_t r = 2; r < block; ++r) power[r] = product(power[r / 2], power[r - r / 2], rate);
    IRN_UNROLL
    for (std::size_t r = 1; r < block; ++r) {
      alpha_[r - 1] = std::fma(damping, power[r].s, power[r].c);
      beta_[r - 1] = power[r].s;
    }
  }

  float x_, v_, target_[2], advance_[4], alpha_[block - 1], beta_[block - 1];
};

}  // namespace irn::plain

#endif
