// The kernels of drives, B x + b. A drive is summed in one order, whatever the other samples are, so a
// sample's answer is independent of its batch.
#ifndef IRN_ENGINE_CUDA_DRIVES_INL_H_
#define IRN_ENGINE_CUDA_DRIVES_INL_H_

#include "irn/engine/cuda/search_memory.h"

namespace irn::cuda {

inline constexpr unsigned drive_threads = 128, drive_tile = 32, drive_rows = 8;

// drives(s, i) = bias_i + sum_k b_ik x_sk, for `drive_rows` neurons in each block from blockIdx.y on; padding
// beyond the last neuron gets 0. The inputs of a block's samples, and the weights, go through shared memory,
// a tile at a time, so that neighbouring threads read neighbouring numbers.
template <class T>
__global__ void __launch_bounds__(drive_threads)
    drives_of(const T* inputs, const T* b, const T* bias, std::size_t neurons, std::size_t padded,
              std::size_t width, std::size_t count, VectorLayout layout, T* drives) {
  __shared__ T tile[drive_threads][drive_tile + 1];
  __shared__ T weights[drive_tile][drive_rows];
  const std::size_t first = std::size_t(blockIdx.x) * drive_threads, sample = first + threadIdx.x;
  const std::size_t row = blockIdx.y * drive_rows;
  T sum[drive_rows] = {};
  for (std::size_t from = 0; from < width; from += drive_tile) {
    const std::size_t size = min(std::size_t(drive_tile), width - from);
    __syncthreads();
    for (unsigned at = threadIdx.x; at < drive_threads * drive_tile; at += drive_threads) {
      const unsigned s = at / drive_tile, k = at % drive_tile;
      tile[s][k] = first + s < count && k < size ? inputs[(first + s) * width + from + k] : T(0);
    }
    for (unsigned at = threadIdx.x; at < drive_rows * drive_tile; at += drive_threads) {
      const unsigned r = at / drive_tile, k = at % drive_tile;
      weights[k][r] = row + r < neurons && k < size ? b[(row + r) * width + from + k] : T(0);
    }
    __syncthreads();
    for (std::size_t k = 0; k < size; ++k) {
      const T x = tile[threadIdx.x][k];
#pragma unroll
      for (unsigned r = 0; r < drive_rows; ++r) sum[r] = fma(weights[k][r], x, sum[r]);
    }
  }
  if (sample >= count) return;
#pragma unroll
  for (unsigned r = 0; r < drive_rows; ++r)
    if (row + r < padded)
      drives[sample * layout.by_sample + (row + r) * layout.by_neuron] =
          row + r < neurons ? sum[r] + bias[row + r] : T(0);
}

// The same for many inputs and neurons: each block has a tile of samples by neurons, 4 x 4 of them for each
// thread.
inline constexpr unsigned tiled_threads = 64;

template <class T>
struct alignas(4 * sizeof(T)) Four {
  T v[4];
};

template <class T>
__global__ void __launch_bounds__(tiled_threads)
    drives_in_tiles(const T* inputs, const T* b, const T* bias, std::size_t neurons, std::size_t padded,
                    std::size_t width, std::size_t count, VectorLayout layout, T* drives) {
  constexpr unsigned depth = drive_tile, loads = drive_tile * depth / tiled_threads;
  __shared__ Four<T> samples[depth][drive_tile / 4 + 1], weights[depth][drive_tile / 4 + 1];
  const std::size_t first = std::size_t(blockIdx.x) * drive_tile, row = std::size_t(blockIdx.y) * drive_tile;
  // This thread loads column k of every second row from r on.
  const unsigned k = threadIdx.x % depth, r = threadIdx.x / depth;
  T next_samples[loads], next_weights[loads];
  const auto load = [&](std::size_t from) {
#pragma unroll
    for (unsigned l = 0; l < loads; ++l) {
      const std::size_t s = first + r + 2 * l, i = row + r + 2 * l;
      const bool in = from + k < width;
      next_samples[l] = in && s < count ? inputs[s * width + from + k] : T(0);
      next_weights[l] = in && i < neurons ? b[i * width + from + k] : T(0);
    }
  };
  const unsigned s0 = threadIdx.x / 8, i0 = threadIdx.x % 8;  // in groups of four
  T sum[4][4] = {};
  load(0);
  for (std::size_t from = 0; from < width; from += depth) {
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < loads; ++l) {
      const unsigned at = r + 2 * l;
      samples[k][at / 4].v[at % 4] = next_samples[l], weights[k][at / 4].v[at % 4] = next_weights[l];
    }
    __syncthreads();
    if (from + depth < width) load(from + depth);
#pragma unroll
    for (unsigned at = 0; at < depth; ++at) {  // beyond the last input all are zero
      const Four<T> x = samples[at][s0], w = weights[at][i0];
#pragma unroll
      for (unsigned s = 0; s < 4; ++s)
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) sum[s][i] = fma(w.v[i], x.v[s], sum[s][i]);
    }
  }
#pragma unroll
  for (unsigned s = 0; s < 4; ++s)
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const std::size_t sample = first + 4 * s0 + s, neuron = row + 4 * i0 + i;
      if (sample < count && neuron < padded)
        drives[sample * layout.by_sample + neuron * layout.by_neuron] =
            neuron < neurons ? sum[s][i] + bias[neuron] : T(0);
    }
}

}  // namespace irn::cuda

#endif
