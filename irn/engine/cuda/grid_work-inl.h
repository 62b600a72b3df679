// Launches of kernels whose blocks multiply together (grid_product-inl.h), and the memory that these share.
#ifndef IRN_ENGINE_CUDA_GRID_WORK_INL_H_
#define IRN_ENGINE_CUDA_GRID_WORK_INL_H_

#include "irn/engine/cuda/grid_product-inl.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {

// Launches a kernel with these arguments and a GridMemory. Its vectors have `size` numbers, plus `scratch` of
// their own. For one stream at a time.
template <class... Arguments>
class GridWork {
 public:
  using Kernel = void (*)(Arguments..., GridMemory);
  GridWork(Kernel kernel, unsigned threads, std::size_t size, std::size_t scratch = 0)
      : kernel_(kernel), threads_(threads), blocks_(blocks_for(kernel, threads, 0, ~std::size_t{0})) {
    vectors_ = on_device<float>(blocks_ * (size + scratch));
    products_ = zeros<float>(blocks_ * size);  // padding stays zero
    asks_ = on_device<unsigned>(blocks_), counters_ = on_device<unsigned>(counters());
  }

  std::size_t most() const { return blocks_; }

  // One block for each sample, or as many as the device holds.
  void launch(std::size_t samples, cudaStream_t stream, Arguments... arguments) const {
    GridMemory memory{vectors_.get(), products_.get(), asks_.get(), counters_.get()};
    checked(cudaMemsetAsync(counters_.get(), 0, counters() * sizeof(unsigned), stream));
    const auto blocks = static_cast<unsigned>(samples < blocks_ ? samples : blocks_);
    cuda::launch(kernel_, {blocks, threads_, stream, 0, true}, arguments..., memory);
  }

 private:
  std::size_t counters() const { return blocks_ * counters_a_group; }  // each group has at least one block
  Kernel kernel_;
  unsigned threads_;
  std::size_t blocks_;
  OnDevice<float> vectors_, products_;
  OnDevice<unsigned> asks_, counters_;
};

}  // namespace irn::cuda

#endif
