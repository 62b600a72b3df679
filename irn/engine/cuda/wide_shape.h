// Which threads have a sample of a wide network in single precision, and which multiply by A. Searches and
// adjoints use the same shape, since they read the same numbers.
#pragma once

#include <cstddef>

namespace irn::cuda {

// The most unknowns of a thread; more by a plan, where all of them are in the device's memory.
inline constexpr std::size_t most_rows = 8, most_rows_by_plan = 64;
// The most warps of a block, with a sample each: as many beside one copy of the matrix as a multiprocessor
// has registers for. A tenth faster than four blocks of four warps, each with its own copy.
inline constexpr unsigned most_warps = 16;

enum class WideShape {
  warps,     // a warp for each sample, with the matrix in the block's shared memory
  clusters,  // the same, with the matrix in that of a cluster of blocks (cluster_product-inl.h)
  grid,      // a block for each sample; all blocks multiply together (grid_product-inl.h)
};
// For the device in use.
WideShape wide_shape(std::size_t neurons);

// Bytes of a block's shared memory, for numbers of `number` bytes: the matrix, if it is kept there, and a
// vector for each sample.
inline std::size_t bytes_of_block(std::size_t number, std::size_t size, bool with_matrix,
                                  std::size_t samples) {
  return number * ((with_matrix ? size * size : 0) + samples * size);
}

}  // namespace irn::cuda
