// How the blocks of a cluster share a matrix (cluster_product-inl.h), and how a block's shared memory is
// divided.
#pragma once

#include <cstddef>

namespace irn::cuda {

inline constexpr unsigned most_cluster_threads = 512;    // of a block
inline constexpr std::size_t most_rows_in_cluster = 20;  // unknowns of a lane; 32 lanes have a sample

struct ClusterShape {
  static constexpr unsigned rows_at_once = 8;  // of a worker: a group of eight

  unsigned neurons = 0;
  unsigned blocks = 0;   // of a cluster; 0: the device has no cluster for this many neurons
  unsigned rows = 0;     // of A, the most that a block has
  unsigned samples = 0;  // of a block; each has a warp
  unsigned workers = 0;  // warps

  __host__ __device__ unsigned slots() const { return blocks * samples; }
  __host__ __device__ unsigned width() const { return (neurons + 31) / 32 * 32; }  // of a vector
  // The stride of a row: odd, so that rows written side by side are in different banks.
  __host__ __device__ unsigned stride() const { return width() + 1; }
  __host__ __device__ unsigned floats_of_signals() const { return (slots() + samples + 1) * 2; }
  __host__ __device__ std::size_t bytes() const {
    return sizeof(float) *
           (floats_of_signals() + std::size_t(slots() + samples) * width() + std::size_t(rows) * stride());
  }
  __host__ __device__ unsigned eights() const { return (neurons + rows_at_once - 1) / rows_at_once; }
  // Groups of eight are dealt evenly: every block has some, since there are more of them than blocks.
  __host__ __device__ unsigned first_row(unsigned rank) const {
    return rank * eights() / blocks * rows_at_once;
  }
  unsigned threads() const { return 32 * (samples + workers); }
};

// For one sample in each block; how many a launch has depends on the device's room for them.
ClusterShape cluster_shape(std::size_t neurons);

}  // namespace irn::cuda
