// Who has a sample of a wide network in single precision, and who multiplies with A: the same in searches and in adjoints, which read the same numbers.
#pragma once

#include <cstddef>

namespace irn::cuda {

// Unknowns a thread has at most; by a plan, where all of them lie in the device's memory, more.
inline constexpr std::size_t most_rows = 8, most_rows_by_plan = 64;
// Of a block whose warps have a sample each. As many beside one copy of the matrix as the registers let a multiprocessor hold: a tenth faster than four
// blocks of four warps, each with its own copy.
inline constexpr unsigned most_warps = 16;

enum class WideShape {
  warps,     // a warp a sample, with the matrix in the block's shared memory
  clusters,  // a warp a sample, with the matrix in that of a cluster of blocks (cluster_product-inl.h)
  grid,      // a block a sample; all blocks multiply together (grid_product-inl.h)
};
// On the device in use.
WideShape wide_shape(std::size_t neurons);

// Bytes of a block's shared memory with numbers of so many bytes: the matrix, if it is there, and a vector for each sample that goes round.
inline std::size_t bytes_of_block(std::size_t number, std::size_t size, bool with_matrix,
                                  std::size_t samples) {
  return number * ((with_matrix ? size * size : 0) + samples * size);
}

}  // namespace irn::cuda
