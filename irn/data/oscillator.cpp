#include "irn/data/oscillator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "irn/base/error.h"

namespace irn {
namespace {

constexpr double largest_time_step = 100;

void check(const OscillatorOptions& options) {
  if (options.count == 0) throw Error("oscillator: count is 0; a data set needs at least one sample");
  if (options.first > std::numeric_limits<std::uint64_t>::max() - options.count)
    throw Error("oscillator: first + count = " + std::to_string(options.first) + " + " +
                std::to_string(options.count) + " passes 2^64; choose a lower range");
  if (options.points == 0) throw Error("oscillator: points is 0; a trajectory needs at least one point");
  if (!(options.time_step > 0 && options.time_step <= largest_time_step))
    throw Error("oscillator: time step " + std::to_string(options.time_step) + " is not in (0, 100]");
  if (!(options.spread > 0 && std::isfinite(options.spread)))
    throw Error("oscillator: spread " + std::to_string(options.spread) + " is not a positive number");
}

// Halves the time step until it is in the range of the kernel's series.
kernels::OscillatorPlan planned(const OscillatorOptions& options) {
  check(options);
  kernels::OscillatorPlan plan{options.seed,  options.first, options.points, options.time_step, 0,
                               options.spread};
  for (; plan.substep > kernels::largest_substep; ++plan.doublings) plan.substep /= 2;
  return plan;
}

}  // namespace

template <class T>
Oscillator<T>::Oscillator(const OscillatorOptions& options)
    : plan_(planned(options)), count_(options.count) {}

template <class T>
void Oscillator<T>::inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const {
  check_lanes(index, count_, width);
  kernels::oscillator_lanes(plan_, index, width, out);
}

template <class T>
void Oscillator<T>::inputs_as_rows(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, count_);
  kernels::oscillator_rows(plan_, index, out);
}

template <class T>
void Oscillator<T>::targets_as_rows(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, count_);
  std::array<OscillatorParameters, 64> some;
  for (; !index.empty(); index = index.subspan(std::min(index.size(), some.size()))) {
    const auto part = index.first(std::min(index.size(), some.size()));
    kernels::oscillator_parameters(plan_, part, some.data());
    for (std::size_t i = 0; i < part.size(); ++i) {
      *out++ = static_cast<T>(some[i].w0 - 1);
      *out++ = static_cast<T>(some[i].d / 2);
    }
  }
}

template <class T>
OscillatorParameters Oscillator<T>::parameters(std::uint64_t index) const {
  check_samples(std::span(&index, 1), count_);
  OscillatorParameters one;
  kernels::oscillator_parameters(plan_, std::span(&index, 1), &one);
  return one;
}

template class Oscillator<float>;
template class Oscillator<double>;

}  // namespace irn
