#include "irn/engine/cuda/cluster_shape.h"

#include <algorithm>

#include "irn/engine/cuda/cluster_signals-inl.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {
namespace {

// Stands for all kernels of clusters, whose threads have no more registers: whether the device holds one of theirs.
__global__ void __launch_bounds__(most_cluster_threads) any_cluster_kernel() {}

// Kernels have a body only where they were compiled for processors with clusters; a build for older ones runs on newer ones, too.
bool compiled_for_clusters() {
  cudaFuncAttributes facts;
  checked(cudaFuncGetAttributes(&facts, any_cluster_kernel));
  return facts.ptxVersion >= 10 * oldest_major_with_clusters &&
         attribute(cudaDevAttrComputeCapabilityMajor) >= oldest_major_with_clusters;
}

// With all the memory that a block may have: a launch of many samples takes it.
bool device_holds(unsigned blocks, std::size_t memory) {
  allow_shared(any_cluster_kernel);
  return clusters_for(any_cluster_kernel, {blocks, most_cluster_threads, nullptr, memory, false, blocks}) > 0;
}

ClusterShape shared_by(unsigned blocks, std::size_t neurons) {
  constexpr unsigned eight = ClusterShape::rows_at_once;
  ClusterShape shape{.neurons = static_cast<unsigned>(neurons), .blocks = blocks, .samples = 1};
  shape.rows = (shape.eights() + blocks - 1) / blocks * eight;
  // Of a block's 16 warps ten at most, so that six may have samples; of these as many as leave none idle in the last round over the rows.
  constexpr unsigned most_workers = 10;
  const unsigned eights = shape.rows / eight, rounds = (eights + most_workers - 1) / most_workers;
  shape.workers = (eights + rounds - 1) / rounds;
  return shape;
}

}  // namespace

ClusterShape cluster_shape(std::size_t neurons) {
  if (neurons > 32 * most_rows_in_cluster || !compiled_for_clusters()) return {};
  // Few blocks, as long as they leave half of a multiprocessor's memory to its first-level cache, where a search's own vectors are.
  constexpr std::size_t half_of_sm_90 = 112 * 1024;
  const std::size_t room = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin),
                    enough = std::min(half_of_sm_90, room);
  ClusterShape shape;
  for (const unsigned blocks : {1u, 2u, 4u, 8u}) {  // more than 8 are not to be had everywhere
    shape = shared_by(blocks, neurons);
    if (shape.bytes() <= enough) break;
  }
  return shape.bytes() <= room && device_holds(shape.blocks, room) ? shape : ClusterShape{};
}

}  // namespace irn::cuda
