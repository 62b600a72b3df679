// Launches of kernels whose clusters of blocks multiply together (cluster_product-inl.h).
#ifndef IRN_ENGINE_CUDA_CLUSTER_WORK_INL_H_
#define IRN_ENGINE_CUDA_CLUSTER_WORK_INL_H_

#include <algorithm>

#include "irn/engine/cuda/cluster_shape.h"
#include "irn/engine/cuda/cluster_signals-inl.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {

// Launches a kernel with these arguments and a ClusterShape.
template <class... Arguments>
class ClusterWork {
 public:
  using Kernel = void (*)(Arguments..., ClusterShape);
  ClusterWork(Kernel kernel, const ClusterShape& shape) : kernel_(kernel), shape_(shape) {
    allow_shared(kernel_);
    // As many as if each block took a multiprocessor's whole memory: samples have the first-level caches to
    // themselves.
    clusters_ =
        clusters_for(kernel_, {shape_.blocks, most_cluster_threads, nullptr, memory(), false, shape_.blocks});
    if (clusters_ == 0) throw Error("the CUDA device holds no cluster of blocks of this kernel");
  }

  // Samples are first spread over all clusters.
  void launch(std::size_t count, cudaStream_t stream, Arguments... arguments) const {
    ClusterShape shape = shape_;
    const std::size_t blocks = clusters_ * shape.blocks, share = (count + blocks - 1) / blocks;
    for (ClusterShape more = shape; shape.samples < share; shape = more)
      if (++more.samples; !fits(more)) break;
    const std::size_t needed = (count + shape.slots() - 1) / shape.slots();
    allow_shared(kernel_);
    cuda::launch(kernel_,
                 {static_cast<unsigned>(std::min(clusters_, needed)) * shape.blocks, shape.threads(), stream,
                  shape.bytes(), false, shape.blocks},
                 arguments..., shape);
  }

 private:
  static std::size_t memory() { return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); }
  static bool fits(const ClusterShape& shape) {
    return shape.threads() <= most_cluster_threads && shape.slots() <= 32 && shape.bytes() <= memory();
  }
  Kernel kernel_;
  ClusterShape shape_;
  std::size_t clusters_;
};

}  // namespace irn::cuda

#endif
