// Damped oscillators  x'' + 2 d x' + w0^2 x = 0,  x(0) = x0,  x'(0) = v0: find (w0, d) from the trajectory.
//   input k  = x(k * time_step),  k < points          x0, v0 normal with standard deviation `spread`
//   targets  = w0 - 1 and d / 2, both in [0, 1]        w0 uniform in [1, 2], d uniform in [0, 2]
// A sample is a pure function of (seed, first + i): nothing is stored, and data sets with disjoint ranges of
// indices share no sample. This needs no search: Philox is a bijection, so different indices have different
// 128 bits, and the mapping from bits to (x0, v0, w0, d) is injective.
// Nothing is integrated: the trajectory is the exact solution, with one propagator for all three damping
// regimes.
#pragma once

#include <string_view>

#include "irn/data/samples.h"
#include "irn/kernels/oscillator.h"

namespace irn {

struct OscillatorOptions {
  static constexpr std::string_view name = "oscillator";
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  std::size_t points = 100;
  double time_step = 0.1;
  double spread = 2;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("seed", seed);
    visit("first", first);
    visit("count", count);
    visit("points", points);
    visit("time-step", time_step);
    visit("spread", spread);
  }
};

using OscillatorParameters = kernels::OscillatorParameters;  // x0, v0, w0, d in double

template <class T>
class Oscillator : public Samples<T> {
 public:
  // Throws irn::Error for an empty or overflowing range, no points, a spread that is not positive, or a time
  // step outside (0, 100]. (Beyond 100 nothing of the oscillation is visible, and rounding errors exceed
  // 1e-12.)
  explicit Oscillator(const OscillatorOptions& options);

  std::size_t size() const override { return count_; }
  std::size_t inputs() const override { return plan_.points; }
  std::size_t targets() const override { return 2; }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override;
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override;
  void targets_as_rows(std::span<const std::uint64_t> index, T* out) const override;

  OscillatorParameters parameters(std::uint64_t index) const;
  // How samples are drawn, for devices that draw them in their own memory.
  const kernels::OscillatorPlan& plan() const { return plan_; }

 private:
  kernels::OscillatorPlan plan_;
  std::size_t count_;
};

}  // namespace irn
