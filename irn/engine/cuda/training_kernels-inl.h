// From the deltas of a batch to new parameters:  dA = sum delta z^T,  dB = sum delta x^T,  db = sum delta;  its norm;  a step of the optimiser. Every sum has one order.
#ifndef IRN_ENGINE_CUDA_TRAINING_KERNELS_INL_H_
#define IRN_ENGINE_CUDA_TRAINING_KERNELS_INL_H_

#include "irn/engine/cuda/training.h"

namespace irn::cuda {

inline constexpr unsigned sum_tile = 64, sum_depth = 16, sum_threads = 256, reduce_threads = 256,
                          norm_blocks = 256;

// What the kernels of a step hand on to each other.
struct StepState {
  double share;  // 1 / the sum of the weights used
  double norm;
  float scale;  // of clipping
  unsigned used, finite, usable, overflow;
};

// Where a tile of a block's gradient lies; `cols` 0: biases.
struct SumTile {
  unsigned row, rows, col, cols;  // in A or B; rows and cols up to sum_tile
  unsigned long long at;          // of its first entry in the parameter vector
  unsigned stride;                // from row to row there
  bool from_input;
};

// The sum over a block's threads, the same in all: by halves, in one order.
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
// The larger, and what is no number if one of them is none.
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

// One tile of the gradient a block, 4 x 4 entries a thread: share * sum over the samples, in their order, of delta_i source_j.
__global__ void __launch_bounds__(sum_threads)
    sum_tiles(const SumTile* tiles, const float* deltas, const float* states, const float* inputs,
              const float* factors, unsigned count, unsigned neurons, unsigned input_count,
              const StepState* state, float* gradient) {
  __shared__ __align__(16) float left[sum_depth][sum_tile], right[sum_depth][sum_tile];
  const SumTile tile = tiles[blockIdx.x];
  const float* source = tile.from_input ? inputs : states;
  const unsigned width = tile.from_input ? input_count : neurons;
  const unsigned i0 = threadIdx.x / 16 * 4, j0 = threadIdx.x % 16 * 4;
  float sum[4][4] = {};
  for (unsigned from = 0; from < count; from += sum_depth) {
    for (unsigned at = threadIdx.x; at < sum_depth * sum_tile; at += sum_threads) {
      const unsigned s = from + at / sum_tile, k = at % sum_tile;
      const bool in = s < count && factors[s] != 0;  // what is left out may be no number
      left[at / sum_tile][k] = in && k < tile.rows ? deltas[std::size_t(s) * neurons + tile.row + k] : 0.0f;
      right[at / sum_tile][k] = !in              ? 0.0f
                                : tile.cols == 0 ? (k == 0 ? 1.0f : 0.0f)
                                : k < tile.cols  ? source[std::size_t(s) * width + tile.col + k]
                                                 : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < sum_depth; ++k) {
      const float4 a = *reinterpret_cast<const float4*>(&left[k][i0]),
                   b = *reinterpret_cast<const float4*>(&right[k][j0]);
      const float ai[4] = {a.x, a.y, a.z, a.w}, bj[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) sum[i][j] = fmaf(ai[i], bj[j], sum[i][j]);
    }
    __syncthreads();
  }
  const float share = static_cast<float>(state->share);
  const unsigned cols = tile.cols == 0 ? 1 : tile.cols;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
      if (i0 + i < tile.rows && j0 + j < cols)
        gradient[tile.at + std::size_t(i0 + i) * tile.stride + j0 + j] = sum[i][j] * share;
}

// The sum of squares and the largest entry, a part a block; then all of them.
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

// Which entry of A or B a parameter is, and where the matrices lie.
struct ArrangedMatrices {
  float *a, *a_transposed, *b, *bias;
  std::size_t size, inputs;
};
struct BlockTable {
  unsigned count;
  DenseBlock blocks[most_blocks];
  std::size_t biases;
};
__device__ inline void put_parameter(const BlockTable& table, const ArrangedMatrices& to, std::size_t k,
                                     float value) {
  if (k >= table.biases) {
    to.bias[k - table.biases] = value;
    return;
  }
  unsigned b = 0;
  while (k - table.blocks[b].weights >= table.blocks[b].rows * table.blocks[b].cols)
    ++b;  // blocks follow each other
  const DenseBlock& block = table.blocks[b];
  const std::size_t at = k - block.weights, i = block.row + at / block.cols, j = block.col + at % block.cols;
  if (block.from_input) {
    to.b[i * to.inputs + j] = value;
    return;
  }
  to.a[j * to.size + i] = value, to.a_transposed[i * to.size + j] = value;
}
__global__ void arrange(const __grid_constant__ BlockTable table, const ArrangedMatrices to,
                        const float* parameters, std::size_t count) {
  const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < count) put_parameter(table, to, k, parameters[k]);
}

// As kernels/adam.cpp has them.
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
__global__ void step_all(const Rule rule, const __grid_constant__ BlockTable table, const ArrangedMatrices to,
                         const float* gradient, std::size_t count, float* parameters, float* first,
                         float* second, StepState* state) {
  const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= count || state->used == 0 || !state->finite || !state->usable) return;
  const float p = parameters[k], next = rule(gradient[k] * state->scale, p, first, second, k);
  const bool good = fabsf(next) <= std::numeric_limits<float>::max();
  if (!good) atomicOr(&state->overflow, 1u);
  parameters[k] = good ? next : p;
  if (good) put_parameter(table, to, k, next);
}

}  // namespace irn::cuda

#endif
