// From the gradient of a batch to new parameters: its norm, and a step of the optimiser. Every sum has a
// fixed order.
#ifndef IRN_ENGINE_CUDA_TRAINING_KERNELS_INL_H_
#define IRN_ENGINE_CUDA_TRAINING_KERNELS_INL_H_

#include "irn/engine/cuda/trained_numbers.h"

namespace irn::cuda {

inline constexpr unsigned reduce_threads = 256, norm_blocks = 256;

// Combines values over a block's threads, by halves, in a fixed order; all threads get the result.
template <class Combine>
__device__ double together(double here, const Combine& combine) {
  __shared__ double all[reduce_threads];
  __syncthreads();
  all[threadIdx.x] = here;
  for (unsigned half = reduce_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x] = combine(all[threadIdx.x], all[threadIdx.x + half]);
  }
  __syncthreads();
  return all[0];
}
__device__ inline double sum_together(double here) {
  return together(here, [](double a, double b) { return a + b; });
}
// The larger one; NaN if one of them is NaN.
__device__ inline double larger(double a, double b) { return a != a || a > b ? a : b; }

// One block. Samples of weight 0 are not counted as used.
__global__ void __launch_bounds__(reduce_threads)
    count_used(const SampleGradient* found, const float* weights, unsigned count, StepState* state) {
  double used = 0, sum = 0;
  for (unsigned s = threadIdx.x; s < count; s += reduce_threads) {
    const double weight = weights ? double(weights[s]) : 1.0;
    const bool in = is_used(found[s].outcome);
    used += in && weight > 0 ? 1 : 0, sum += in ? weight : 0;
  }
  used = sum_together(used), sum = sum_together(sum);
  if (threadIdx.x == 0) *state = {sum > 0 ? 1 / sum : 0, 0, 1, static_cast<unsigned>(used), 1, 1, 0};
}

// The sum of squares and the largest entry: one part for each block, then all parts.
__global__ void __launch_bounds__(reduce_threads)
    sizes_of_parts(const float* gradient, std::size_t count, double* squares, double* largest) {
  double sum = 0, most = 0;
  for (std::size_t k = std::size_t(blockIdx.x) * reduce_threads + threadIdx.x; k < count;
       k += std::size_t(gridDim.x) * reduce_threads) {
    const double g = gradient[k];
    sum += g * g, most = larger(g != g ? g : fabs(g), most);
  }
  sum = sum_together(sum);
  most = together(most, [](double a, double b) { return larger(a, b); });
  if (threadIdx.x == 0) squares[blockIdx.x] = sum, largest[blockIdx.x] = most;
}
__global__ void __launch_bounds__(reduce_threads)
    judge_gradient(const double* squares, const double* largest, double clip, StepState* state) {
  static_assert(norm_blocks == reduce_threads);
  const double norm = sqrt(sum_together(squares[threadIdx.x]));
  const double most = together(largest[threadIdx.x], [](double a, double b) { return larger(a, b); });
  if (threadIdx.x != 0) return;
  constexpr double highest = std::numeric_limits<float>::max();
  const bool clipped = clip > 0 && norm > clip && norm <= std::numeric_limits<double>::max();
  state->norm = norm;
  state->scale = clipped ? static_cast<float>(clip / norm) : 1.0f;
  const double scaled = most * double(state->scale);
  state->finite = most <= highest;
  state->usable = scaled * scaled <= highest;
}

// As in kernels/adam.cpp.
struct AdamRule {
  float less1, beta2, less2, size, epsilon, keep;
  __device__ float operator()(float g, float p, float* m, float* v, std::size_t k) const {
    const float first = fmaf(less1, g - m[k], m[k]), second = fmaf(beta2, v[k], less2 * (g * g));
    m[k] = first, v[k] = second;
    return fmaf(-size, first / (sqrtf(second) + epsilon), keep * p);
  }
};
struct MomentumRule {
  float momentum, size;
  bool nesterov;
  __device__ float operator()(float g, float p, float* u, float*, std::size_t k) const {
    const float next = fmaf(momentum, u[k], g);
    u[k] = next;
    return fmaf(-size, nesterov ? fmaf(momentum, next, g) : next, p);
  }
};
template <class Rule>
__global__ void step_all(const Rule rule, const float* gradient, std::size_t count, float* parameters,
                         float* first, float* second, StepState* state) {
  const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= count || state->used == 0 || !state->finite || !state->usable) return;
  const float p = parameters[k], next = rule(gradient[k] * state->scale, p, first, second, k);
  const bool good = fabsf(next) <= std::numeric_limits<float>::max();
  if (!good) atomicOr(&state->overflow, 1u);
  parameters[k] = good ? next : p;
}

}  // namespace irn::cuda

#endif
