// Kernels of gradients of networks whose products go by plans (product_plan.h). For the weights of a source:
//
//   d weights[i][t][o] = sum over samples and places p of  delta[o][p]  vector[at + i * plane + table[t][p]]
//
// A block computes one tile of weights over one of `splits` parts of the samples; then the parts are added in
// order. Biases are sums over the neurons that share them.
#ifndef IRN_ENGINE_CUDA_PLAN_SUMS_INL_H_
#define IRN_ENGINE_CUDA_PLAN_SUMS_INL_H_

#include "irn/engine/cuda/plan_tile-inl.h"
#include "irn/engine/cuda/trained_numbers.h"

namespace irn::cuda {

inline constexpr unsigned sum_tile = 64, sum_depth = 16, sum_threads = 256, sum_padded = sum_tile + 4,
                          splits = 16, launch_threads = 256, warp = 32;

// What is read for a batch, with the lists of one plan.
struct Reads {
  PlanLists lists;
  const float *deltas, *vectors, *factors;
  std::size_t neurons, width;
  unsigned count;
  float* sums;  // [split][weight]
  std::size_t weights;
};
// A tile of the weights of a source, or one weight: from `row` (channel and tap) and `column` (channel of the
// result) of a group on.
struct SumPiece {
  unsigned part, source, group, row, column;
};

__device__ __forceinline__ std::size_t weight_at(const Reads& reads, const PlanSource& source, unsigned group,
                                                 unsigned row, unsigned column) {
  const unsigned i = row / source.taps, tap = row - i * source.taps;
  const auto number = static_cast<unsigned>(reads.lists.tables[source.numbers + tap]);
  return source.weights +
         (std::size_t(group * source.channels + i) * source.kernel + number) * source.padded + column;
}

__global__ void __launch_bounds__(sum_threads)
    sum_pieces(const SumPiece* pieces, const __grid_constant__ Reads reads) {
  __shared__ __align__(16) float left[sum_depth][sum_padded], right[sum_depth][sum_padded];
  const SumPiece piece = pieces[blockIdx.x];
  const PlanPart part = reads.lists.parts[piece.part];
  const PlanSource source = reads.lists.sources[piece.source];
  const unsigned depth = source.channels * source.taps, own = threadIdx.x % sum_depth,
                 first = threadIdx.x / sum_depth;
  constexpr unsigned loads = sum_tile / (sum_threads / sum_depth);
  unsigned delta_at[loads], vector_at[loads], table_at[loads];
#pragma unroll
  for (unsigned l = 0; l < loads; ++l) {
    const unsigned o = piece.column + first + l * (sum_threads / sum_depth),
                   row = piece.row + first + l * (sum_threads / sum_depth), i = row / source.taps;
    delta_at[l] = o < source.group ? part.at + (piece.group * source.group + o) * part.plane : ~0u;
    vector_at[l] = row < depth ? source.at + (piece.group * source.channels + i) * source.plane : ~0u;
    table_at[l] = source.table + (row - i * source.taps) * part.places;
  }
  const unsigned a_split = (reads.count + splits - 1) / splits,
                 begin = min(blockIdx.y * a_split, reads.count),
                 end = min(begin + a_split, reads.count) * part.places;
  const unsigned i0 = threadIdx.x / 16 * 4, j0 = threadIdx.x % 16 * 4;
  float sum[4][4] = {};
  for (unsigned from = begin * part.places; from < end; from += sum_depth) {
    const unsigned at = from + own, s = at / part.places, p = at - s * part.places;
    const bool in = at < end && reads.factors[s] != 0;  // a sample that is left out may have NaN
    const float *deltas = reads.deltas + s * reads.neurons, *vector = reads.vectors + s * reads.width;
    const int to = in ? reads.lists.tables[part.to + p] : 0;
#pragma unroll
    for (unsigned l = 0; l < loads; ++l) {
      const unsigned k = first + l * (sum_threads / sum_depth);
      left[own][k] = in && delta_at[l] != ~0u ? deltas[delta_at[l] + static_cast<unsigned>(to)] : 0.0f;
      const int entry = in && vector_at[l] != ~0u ? reads.lists.tables[table_at[l] + p] : none;
      right[own][k] = entry != none ? vector[vector_at[l] + static_cast<unsigned>(entry)] : 0.0f;
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
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
      if (piece.column + i0 + i < source.group && piece.row + j0 + j < depth)
        reads.sums[blockIdx.y * reads.weights + weight_at(reads, source, piece.group, piece.row + j0 + j,
                                                          piece.column + i0 + i)] = sum[i][j];
}

__device__ __forceinline__ float sum_of_warp(float here) {
#pragma unroll
  for (unsigned distance = warp / 2; distance > 0; distance /= 2)
    here += __shfl_xor_sync(0xFFFFFFFFu, here, distance);
  return here;
}

// One warp for each weight; the sum goes into the first part.
__global__ void sum_weights(const SumPiece* weights, unsigned count, const __grid_constant__ Reads reads) {
  const unsigned which = (blockIdx.x * blockDim.x + threadIdx.x) / warp;
  if (which >= count) return;
  const SumPiece one = weights[which];
  const PlanPart part = reads.lists.parts[one.part];
  const PlanSource source = reads.lists.sources[one.source];
  const unsigned i = one.row / source.taps, table = source.table + (one.row - i * source.taps) * part.places;
  const unsigned delta_at = part.at + (one.group * source.group + one.column) * part.plane,
                 vector_at = source.at + (one.group * source.channels + i) * source.plane;
  float sum = 0;
  for (unsigned at = threadIdx.x % warp; at < reads.count * part.places; at += warp) {
    const unsigned s = at / part.places, p = at - s * part.places;
    const int entry = reads.lists.tables[table + p];
    if (entry == none || reads.factors[s] == 0) continue;
    sum = fmaf(
        reads.deltas[s * reads.neurons + delta_at + static_cast<unsigned>(reads.lists.tables[part.to + p])],
        reads.vectors[s * reads.width + vector_at + static_cast<unsigned>(entry)], sum);
  }
  sum = sum_of_warp(sum);
  if (threadIdx.x % warp == 0) reads.sums[weight_at(reads, source, one.group, one.row, one.column)] = sum;
}

// Adds the parts of each weight, in order.
__global__ void put_together(const float* sums, const int* parameter, std::size_t weights,
                             const StepState* state, float* gradient) {
  const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= weights || parameter[k] == none) return;
  float all = 0;
  for (unsigned split = 0; split < splits; ++split) all += sums[split * weights + k];
  gradient[parameter[k]] = all * static_cast<float>(state->share);
}

// Neurons that share a bias are consecutive.
struct SharedBias {
  unsigned first, count, parameter;
};
// One warp for each bias.
__global__ void sum_biases(const SharedBias* biases, unsigned biases_count, const float* deltas,
                           const float* factors, unsigned count, std::size_t neurons, const StepState* state,
                           float* gradient) {
  const unsigned which = (blockIdx.x * blockDim.x + threadIdx.x) / warp;
  if (which >= biases_count) return;
  const SharedBias bias = biases[which];
  float sum = 0;
  for (unsigned at = threadIdx.x % warp; at < count * bias.count; at += warp) {
    const unsigned s = at / bias.count;
    if (factors[s] != 0) sum += deltas[s * neurons + bias.first + at - s * bias.count];
  }
  sum = sum_of_warp(sum);
  if (threadIdx.x % warp == 0) gradient[bias.parameter] = sum * static_cast<float>(state->share);
}

__global__ void put_parameters(const float* parameters, const int* parameter, std::size_t count, float* to) {
  const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < count && parameter[k] != none) to[k] = parameters[parameter[k]];
}

}  // namespace irn::cuda

#endif
