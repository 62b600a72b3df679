// A times the vectors of many samples at once, by a plan (product_plan.h). As in grid_product-inl.h, blocks
// that search for a sample each compute all products together, but tile by tile of the network's own blocks.
// Tiles differ in length, so a block that has finished a tile takes the next. All thread blocks take part,
// also those that never had a sample.
#ifndef IRN_ENGINE_CUDA_PLAN_PRODUCT_INL_H_
#define IRN_ENGINE_CUDA_PLAN_PRODUCT_INL_H_

#include "irn/engine/cuda/grid_product-inl.h"
#include "irn/engine/cuda/plan_on_device-inl.h"

namespace irn::cuda {

template <class V>
class PlanProduct {
 public:
  static_assert(sizeof(typename V::Scalar) == sizeof(float));

  // `block`: TileShape::floats numbers of shared memory.
  __device__ PlanProduct(const PlanGiven& given, const GridMemory& memory, float* block)
      : given_(given),
        memory_(memory),
        buffers_{given.weights,
                 memory.vectors,
                 memory.vectors + given.size,
                 memory.products,
                 given.size + given.scratch,
                 given.size + given.scratch,
                 given.size,
                 given.samples},
        block_(block),
        blocks_(memory.counters, gridDim.x) {}

  __device__ __noinline__ void multiply(const V* z, V* out, std::size_t rows) {
    float* own = memory_.vectors + blockIdx.x * buffers_.vector_stride;
    for (std::size_t r = 0; r < rows; ++r) own[plain::unknown<V>(r)] = z[r].v;
    if (threadIdx.x == 0) memory_.asks[blockIdx.x] = 1;
    take_turn();
    const float* found = memory_.products + blockIdx.x * given_.size;
    for (std::size_t r = 0; r < rows; ++r) out[r] = V(found[plain::unknown<V>(r)]);
  }

  // This thread block has no sample left in a part of the work: it helps the others until all are done.
  __device__ void help_others() {
    if (threadIdx.x == 0) {
      memory_.asks[blockIdx.x] = 0;
      atomicAdd(memory_.counters + 1, 1u);
    }
    while (take_turn()) {
    }
    ++part_;
  }

 private:
  // Returns whether some block may have asked.
  __device__ __noinline__ bool take_turn() {
    blocks_.meet();
    // The same for all blocks: it changes only before they meet, and afterwards for the next part.
    if (__ldcg(memory_.counters + 1) >= part_ * gridDim.x) return false;
    for (unsigned pass = 0, first = 0; pass < given_.passes; first = given_.ends[pass++]) {
      unsigned* queue = memory_.counters + 2 + round_ % 2;
      // The other queue is not used before all have met again.
      if (blockIdx.x == 0 && threadIdx.x == 0) memory_.counters[2 + (round_ + 1) % 2] = 0;
      for (unsigned tile = next(queue, first); tile < given_.ends[pass]; tile = next(queue, first))
        make(given_.lists.tiles[tile]);
      ++round_;
      blocks_.meet();
    }
    return true;
  }
  __device__ unsigned next(unsigned* queue, unsigned first) {
    __shared__ unsigned taken;
    __syncthreads();
    if (threadIdx.x == 0) taken = first + atomicAdd(queue, 1u);
    __syncthreads();
    return taken;
  }
  // Computes a tile, unless none of its samples wants it.
  __device__ void make(const PlanTile& tile) {
    const unsigned places = given_.lists.parts[tile.part].places, first = tile.column / places,
                   sample = first + threadIdx.x;
    const bool asked = sample < given_.samples && sample * places < tile.column + TileShape::columns &&
                       __ldcg(memory_.asks + sample) != 0;
    if (__syncthreads_or(asked)) make_plan_tile(given_.lists, buffers_, tile, block_);
  }

  const PlanGiven& given_;
  const GridMemory& memory_;
  PlanBuffers buffers_;
  float* block_;
  GridMeeting<true> blocks_;
  unsigned round_ = 0, part_ = 1;
};

}  // namespace irn::cuda

#endif
