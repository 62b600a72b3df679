// Every activation's kernel against the plain one, value and slope, over the whole range of numbers: a single
// neuron without recurrence is f itself, and the gradient of its input is the slope.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "irn/data/sample_table.h"
#include "irn/gradient/cpu_gradient.h"
#include "irn/kernels/targets_testing-inl.h"

namespace irn {
namespace {

// Zero, the neighbourhood of one, everything up to where exponentials end, and the ends of the range (with a
// margin that keeps a sum over all from overflowing).
template <class T>
std::vector<T> wide_range() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all = {T(0), Limits::denorm_min(), Limits::min(), Limits::epsilon(), Limits::max() / 4};
  for (double u = 1e-12; u < 1e30; u *= 1.37) all.push_back(static_cast<T>(u));
  for (double u = 0; u < 120; u += 0.03) all.push_back(static_cast<T>(u));
  for (double u = 700; u < 760; u += 0.5) all.push_back(static_cast<T>(u));
  for (std::size_t i = all.size(); i-- > 0;) all.push_back(-all[i]);
  return all;
}

// A few units in the last place of the larger of one and the value.
template <class T>
double rounding(double value) {
  return 6 * double(std::numeric_limits<T>::epsilon()) * std::max(1.0, std::abs(value));
}

template <class T>
void expect_plain(Activation f, const char* target) {
  const std::vector<T> arguments = wide_range<T>();
  std::vector<std::uint64_t> index(arguments.size());
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  ThreadPool threads(1);
  const NetworkOf<T> neuron(Architecture(1, {{1, f}}, Recurrence::none), {T(1), T(0)});
  CpuGradient<T> batch(neuron, {.input_gradient = true}, threads);
  const Forward<T> forward = batch.forward(SampleTable<T>(1, 0, arguments, {}), index);
  const std::vector<T>& values = forward.equilibria.states;
  const std::vector<T> slopes = batch.backward(forward, std::vector<T>(arguments.size(), T(1))).inputs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const double u = double(arguments[i]), value = double(values[i]), want = activate(f, u);
    ASSERT_TRUE(std::isfinite(value)) << target << " " << name(f) << "(" << u << ")";
    ASSERT_NEAR(value, want, rounding<T>(want)) << target << " " << name(f) << "(" << u << ")";
    ASSERT_NEAR(double(slopes[i]), slope_from_value(f, value), rounding<T>(1))
        << target << " slope of " << name(f) << "(" << u << ")";
  }
}

TEST(ActivationKernel, EveryTargetGivesThePlainValueAndSlopeOverTheWholeRange) {
  kernels::for_each_target([](const char* target) {
    for (std::size_t f = 0; f < activation_names.size(); ++f) {
      expect_plain<float>(static_cast<Activation>(f), target);
      expect_plain<double>(static_cast<Activation>(f), target);
    }
  });
}

}  // namespace
}  // namespace irn
