#include "irn/engine/cuda/adjoint-inl.h"

namespace irn::cuda {
namespace {

// One warp for each sample, with the matrix in the block's memory.
__global__ void __launch_bounds__(32 * most_warps)
    adjoint_by_warps(const __grid_constant__ AdjointGiven given,
                     const __grid_constant__ AdjointMemory memory) {
  using V = plain::One<float, std::size_t, plain::WarpShare<32>>;
  float* block_of_warps = shared_memory<float>();
  const std::size_t size = given.rows * 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (std::size_t k = threadIdx.x; k < size * size; k += blockDim.x)
    block_of_warps[k] = memory.a_transposed[k];
  __syncthreads();
  plain::OwnProduct<V, most_rows> product(given.neurons, block_of_warps,
                                          block_of_warps + size * size + warp * size);
  V vectors[AdjointSizes::vectors * most_rows], scalars[AdjointSizes::scalars];
  for (std::size_t s = blockIdx.x * warps + warp; s < given.count; s += gridDim.x * warps) {
    SampleAdjoint<V, decltype(product)> adjoint(given, memory, product, vectors, scalars);
    adjoint.run(s);
  }
}

class WarpAdjoint final : public AdjointWay {
 public:
  explicit WarpAdjoint(std::size_t n) : rows_((n + 31) / 32) {}
  std::size_t rows() const override { return rows_; }
  std::size_t size() const override { return 32 * rows_; }
  void run(const AdjointGiven& given, const AdjointMemory& memory, cudaStream_t stream) const override {
    allow_shared(adjoint_by_warps);
    const unsigned warps = warps_a_block(given.count, most_warps);
    const std::size_t shared = bytes_of_block(sizeof(float), size(), true, warps);
    const unsigned blocks =
        blocks_for(adjoint_by_warps, 32 * warps, shared, (given.count + warps - 1) / warps);
    launch(adjoint_by_warps, {blocks, 32 * warps, stream, shared}, given, memory);
  }

 private:
  std::size_t rows_;
};

// One warp for each sample, and products by the blocks of a cluster.
__global__ void __launch_bounds__(most_cluster_threads)
    adjoint_in_cluster(const __grid_constant__ AdjointGiven given,
                       const __grid_constant__ AdjointMemory memory,
                       const __grid_constant__ ClusterShape shape) {
#ifdef IRN_HAS_CLUSTERS
  using V = plain::One<float, std::size_t, plain::WarpShare<32>>;
  constexpr std::size_t most = most_rows_in_cluster;
  ClusterProduct<V> product(shape, memory.a_transposed, given.rows * 32, shared_memory<float>());
  if (product.searches()) {
    V vectors[AdjointSizes::vectors * most], scalars[AdjointSizes::scalars];
    for (std::size_t s = product.first(); s < given.count; s += product.stride()) {
      SampleAdjoint<V, ClusterProduct<V>, most> adjoint(given, memory, product, vectors, scalars);
      adjoint.run(s);
    }
    product.end();
  } else {
    product.work();
  }
  product.leave();
#else
  __trap();  // never launched: compiled_for_clusters()
#endif
}

class ClusterAdjoint final : public AdjointWay {
 public:
  explicit ClusterAdjoint(std::size_t n)
      : rows_((n + 31) / 32), work_(adjoint_in_cluster, cluster_shape(n)) {}
  std::size_t rows() const override { return rows_; }
  std::size_t size() const override { return 32 * rows_; }
  void run(const AdjointGiven& given, const AdjointMemory& memory, cudaStream_t stream) const override {
    work_.launch(given.count, stream, given, memory);
  }

 private:
  std::size_t rows_;
  ClusterWork<AdjointGiven, AdjointMemory> work_;
};

template <class Tile>
class GridAdjoint final : public AdjointWay {
 public:
  explicit GridAdjoint(std::size_t n)
      : rows_((n + Tile::threads - 1) / Tile::threads), work_(adjoint_in_grid<Tile>, Tile::threads, size()) {}
  std::size_t rows() const override { return rows_; }
  std::size_t size() const override { return Tile::threads * rows_; }
  void run(const AdjointGiven& given, const AdjointMemory& memory, cudaStream_t stream) const override {
    work_.launch(given.count, stream, given, memory);
  }

 private:
  std::size_t rows_;
  GridWork<AdjointGiven, AdjointMemory> work_;
};

}  // namespace

std::unique_ptr<AdjointWay> adjoint_way(std::size_t neurons) {
  switch (wide_shape(neurons)) {
    case WideShape::warps:
      return std::make_unique<WarpAdjoint>(neurons);
    case WideShape::clusters:
      return std::make_unique<ClusterAdjoint>(neurons);
    case WideShape::grid:
      break;
  }
  if (neurons <= narrow_limit) return std::make_unique<GridAdjoint<NarrowTile>>(neurons);
  return std::make_unique<GridAdjoint<BroadTile>>(neurons);
}

}  // namespace irn::cuda
