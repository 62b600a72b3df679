// One optimiser step over all parameters, elementwise:
//   Adam      m += (1 - beta1) (g - m),   v = beta2 v + (1 - beta2) g^2,
//             p = keep p - size m / (sqrt(v) + epsilon)
//   momentum  u = momentum u + g,         p = p - size u      (Nesterov: p - size (momentum u + g))
// A parameter whose new value would not be finite keeps its old one; the step then returns false.
// The gradient is not checked. `size` and `epsilon` already contain bias correction and schedule.
#pragma once

#include <cstddef>
#include <span>

namespace irn::kernels {

struct AdamStep {
  double beta1, beta2, size, epsilon, keep;
};
[[nodiscard]] bool adam(const AdamStep& step, std::span<const float> g, float* p, float* m, float* v);
[[nodiscard]] bool adam(const AdamStep& step, std::span<const double> g, double* p, double* m, double* v);

struct MomentumStep {
  double momentum, size;
  bool nesterov;
};
[[nodiscard]] bool momentum(const MomentumStep& step, std::span<const float> g, float* p, float* u);
[[nodiscard]] bool momentum(const MomentumStep& step, std::span<const double> g, double* p, double* u);

// Whether g^2 is finite for every element: then neither a moment nor an update can become NaN.
[[nodiscard]] bool squares_are_finite(std::span<const float> g);
[[nodiscard]] bool squares_are_finite(std::span<const double> g);

}  // namespace irn::kernels
