// The library's gradient of a LossCase.
#pragma once

#include <numeric>

#include "irn/data/sample_table.h"
#include "irn/gradient/cpu_gradient.h"
#include "tests/support/plain_gradient.h"

namespace irn {

template <class T>
NetworkOf<T> rounded(const NetworkOf<double>& network) {
  const auto values = network.parameters();
  return NetworkOf<T>(network.architecture(), std::vector<T>(values.begin(), values.end()));
}

template <class T>
GradientResult<T> batch_gradient(const LossCase& c, const GradientOptions& options,
                                 std::size_t thread_count = 1) {
  ThreadPool threads(thread_count);
  const std::size_t inputs = c.network.architecture().inputs();
  const SampleTable<T> samples(inputs, 0, LossCase::flat<T>(c.inputs), {});
  std::vector<std::uint64_t> index(samples.size());
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  CpuGradient<T> batch(rounded<T>(c.network), options, threads);
  return batch.backward(batch.forward(samples, index), LossCase::flat<T>(c.slopes));
}

// Settles to nearly the last bit, and asks for the gradient of the inputs.
inline GradientOptions tight(const Gradient& gradient) {
  return {.gradient = gradient, .settle = {.tolerance = 1e-13}, .input_gradient = true};
}

// max |a - b| / max |b|
template <class A, class B>
double relative_error(const A& a, const B& b) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < std::size(b); ++i) {
    error = std::max(error, std::abs(double(a[i]) - double(b[i])));
    size = std::max(size, std::abs(double(b[i])));
  }
  return error == 0 ? 0 : error / size;
}

}  // namespace irn
