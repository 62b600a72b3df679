#include "irn/engine/cuda/cluster_shape.h"

#include <algorithm>

#include "irn/engine/cuda/cluster_signals-inl.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {
namespace {

// Stands for all kernels of clusters, whose threads have no more registers: if the device holds a cluster of
// this one, it holds one of theirs.
__global__ void __launch_bounds__(most_cluster_threads) any_cluster_kernel() {}

// Kernels have a body only if they were compiled for processors with clusters; a build for older processors
// also runs on newer ones.
bool compiled_for_clusters() {
  cudaFuncAttributes facts;
  checked(cudaFuncGetAttributes(&facts, any_cluster_kernel));
  return facts.ptxVersion >= 10 * oldest_major_with_clusters &&
         attribute(cudaDevAttrComputeCapabilityMajor) >= oldest_major_with_clusters;
}

// With all the memory that a block may have, since a launch of many samples takes it.
bool device_holds(unsigned blocks, std::size_t memory) {
  allow_shared(any_cluster_kernel);
  return clusters_for(any_cluster_kernel, {blocks, most_cluster_threads, nullptr, memory, false, blocks}) > 0;
}

ClusterShape shared_by(unsigned blocks, std::size_t neurons) {
  constexpr unsigned eight = ClusterShape::rows_at_once;
  ClusterShape shape{.neurons = static_cast<unsigned>(neurons), .blocks = blocks, .samples = 1};
  shape.rows = (shape.eights() + blocks - 1) / blocks * eight;
  // At most ten of a block's 16 warps are workers, so that six may have samples. The number is chosen such
  // that none is idle in the last round over the rows.
  constexpr unsigned most_workers = 10;
  const unsigned eights = shape.rows / eight, rounds = (eights + most_workers - 1) / most_workers;
  shape.workers = (eights + rounds - 1) / rounds;
  return shape;
}

}  // namespace

ClusterShape cluster_shape(std::size_t neurons) {
  if (neurons > 32 * most_rows_in_cluster || !compiled_for_clusters()) return {};
  // As few blocks as leave half of a multiprocessor's memory to its first-level cache, which holds a search's
  // own vectors.
  constexpr std::size_t half_of_sm_90 = 112 * 1024;
  const std::size_t room = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
                    enough = std::min(half_of_sm_90, room);
  ClusterShape shape;
  for (const unsigned blocks : {1u, 2u, 4u, 8u}) {  // more than 8 are not available everywhere
    shape = shared_by(blocks, neurons);
    if (shape.bytes() <= enough) break;
  }
  return shape.bytes() <= room && device_holds(shape.blocks, room) ? shape : ClusterShape{};
}

}  // namespace irn::cuda
