#include "irn/engine/cuda/launched_product.h"

#include "irn/engine/cuda/plan_on_device-inl.h"

namespace irn::cuda {
namespace {

__global__ void write_biases(const float* bias, std::size_t neurons, std::size_t padded, float* out) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < padded) out[blockIdx.y * padded + i] = i < neurons ? bias[i] : 0.0f;
}

__global__ void __launch_bounds__(TileShape::threads, 2)
    make_tiles(const __grid_constant__ PlanLists lists, const __grid_constant__ PlanBuffers buffers,
               unsigned first) {
  __shared__ __align__(16) float block[TileShape::floats];
  make_plan_tile(lists, buffers, lists.tiles[first + blockIdx.x], block);
}

class TiledProduct final : public LaunchedProduct {
 public:
  TiledProduct(std::shared_ptr<const ProductPlan> plan, std::size_t capacity)
      : plan_(std::move(plan)), scratch_(on_device<float>(capacity * plan_.plan().scratch)) {}

  void add(const ProductOrder& order, cudaStream_t stream) const override {
    const PlanLists lists = plan_.lists(order.count, stream);
    const PlanBuffers buffers{
        order.weights,       order.vectors,        scratch_.get(),   order.out,
        order.vector_stride, plan_.plan().scratch, order.out_stride, static_cast<unsigned>(order.count)};
    unsigned first = 0;
    for (const unsigned end : plan_.ends()) {
      if (end > first) launch(make_tiles, {end - first, TileShape::threads, stream}, lists, buffers, first);
      first = end;
    }
  }

 private:
  PlanOnDevice plan_;
  OnDevice<float> scratch_;
};

}  // namespace

std::unique_ptr<LaunchedProduct> launched_product(std::shared_ptr<const ProductPlan> plan,
                                                  std::size_t capacity) {
  return std::make_unique<TiledProduct>(std::move(plan), capacity);
}

void write_bias(const float* bias, std::size_t neurons, std::size_t padded, std::size_t count, float* out,
                cudaStream_t stream) {
  constexpr unsigned threads = 256, most_samples = 65535;  // a grid has no more rows
  for (std::size_t s = 0; s < count; s += most_samples) {
    const dim3 grid(static_cast<unsigned>((padded + threads - 1) / threads),
                    static_cast<unsigned>(count - s < most_samples ? count - s : most_samples));
    launch(write_biases, {grid, threads, stream}, bias, neurons, padded, out + s * padded);
  }
}

}  // namespace irn::cuda
