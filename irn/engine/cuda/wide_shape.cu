#include "irn/engine/cuda/wide_shape.h"

#include "irn/engine/cuda/cluster_shape.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {

WideShape wide_shape(std::size_t neurons) {
  const std::size_t rows = (neurons + 31) / 32;
  if (rows <= most_rows && bytes_of_block(sizeof(float), 32 * rows, true, most_warps) <=
                               attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin))
    return WideShape::warps;
  return cluster_shape(neurons).blocks > 0 ? WideShape::clusters : WideShape::grid;
}

}  // namespace irn::cuda
