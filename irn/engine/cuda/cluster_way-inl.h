// Searches for networks whose matrix is shared by a cluster of blocks (cluster_product-inl.h).
#ifndef IRN_ENGINE_CUDA_CLUSTER_WAY_INL_H_
#define IRN_ENGINE_CUDA_CLUSTER_WAY_INL_H_

#include "irn/engine/cuda/wide_way-inl.h"
//
#include "irn/engine/cuda/cluster_product-inl.h"
#include "irn/engine/cuda/cluster_work-inl.h"

namespace irn::cuda {

// One warp for each sample, and products by the blocks of a cluster (cluster_product-inl.h).
template <class Options>
__global__ void __launch_bounds__(most_cluster_threads)
    search_in_cluster(const __grid_constant__ WideGiven<float, Options> given,
                      const __grid_constant__ SearchMemory<float> memory,
                      const __grid_constant__ ClusterShape shape) {
#ifdef IRN_HAS_CLUSTERS
  using V = plain::One<float, std::size_t, plain::WarpShare<32>>;
  constexpr std::size_t most = most_rows_in_cluster;
  ClusterProduct<V> product(shape, memory.a, given.rows * 32, shared_memory<float>());
  if (product.searches()) {
    V own[WideSizes<Options>::vectors * most], scalars[WideSizes<Options>::scalars];
    SampleSearch<most, float, Options, V, ClusterProduct<V>> samples(given, memory, product, own, scalars);
    for (std::size_t s = product.first(); s < memory.count; s += product.stride()) samples.search(s);
    if (given.rules.confirm)
      for (std::size_t s = product.first(); s < memory.count; s += product.stride()) samples.confirm(s);
    product.end();
  } else {
    product.work();
  }
  product.leave();
#else
  __trap();  // never launched: compiled_for_clusters()
#endif
}

template <class Options>
class ClusterWay final : public WideLayout<float, 32> {
 public:
  explicit ClusterWay(std::size_t n)
      : WideLayout<float, 32>(n), work_(search_in_cluster<Options>, cluster_shape(n)) {}
  void run(const std::vector<float>&, const Solver& solver, const Rules<double>& rules,
           const SearchMemory<float>& memory, cudaStream_t stream) const override {
    work_.launch(memory.count, stream,
                 WideGiven<float, Options>{std::get<Options>(solver), rules.in<float>(), this->rows_, false},
                 memory);
  }

 private:
  ClusterWork<WideGiven<float, Options>, SearchMemory<float>> work_;
};

}  // namespace irn::cuda

#endif
