// The kernel of drives, B x + b. A sample's are summed in one order, whatever the other samples are: its answer is its own.
#ifndef IRN_ENGINE_CUDA_DRIVES_INL_H_
#define IRN_ENGINE_CUDA_DRIVES_INL_H_

#include "irn/engine/cuda/search_memory.h"

namespace irn::cuda {

inline constexpr unsigned drive_threads = 128, drive_tile = 32, drive_rows = 8;

// drives(s, i) = bias_i + sum_k b_ik x_sk, for `drive_rows` neurons a block from blockIdx.y on; neurons beyond the last, which only pad, get
// none. The inputs of a block's samples, and the weights, come through shared memory, a tile at a time, so that threads read neighbours.
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

}  // namespace irn::cuda

#endif
