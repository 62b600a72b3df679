#include "irn/engine/cuda/plan_drives.h"

#include "irn/engine/cuda/plan_on_device-inl.h"

namespace irn::cuda {
namespace {

__global__ void write_bias(const float* bias, std::size_t neurons, std::size_t padded, float* drives) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < padded) drives[blockIdx.y * padded + i] = i < neurons ? bias[i] : 0.0f;
}

__global__ void __launch_bounds__(TileShape::threads, 2)
    make_tiles(const __grid_constant__ PlanLists lists, const __grid_constant__ PlanBuffers buffers,
               unsigned first) {
  __shared__ __align__(16) float block[TileShape::floats];
  make_plan_tile(lists, buffers, lists.tiles[first + blockIdx.x], block);
}

class TiledDrives final : public PlanDrives {
 public:
  TiledDrives(std::shared_ptr<const ProductPlan> plan, std::size_t capacity)
      : plan_(std::move(plan)), scratch_(on_device<float>(capacity * plan_.plan().scratch)) {}

  void run(const DriveOrder& order, cudaStream_t stream) const override {
    constexpr unsigned threads = 256, most_samples = 65535;  // a grid has no more rows
    for (std::size_t s = 0; s < order.count; s += most_samples) {
      const std::size_t rows = order.count - s < most_samples ? order.count - s : most_samples;
      const dim3 grid(static_cast<unsigned>((order.padded + threads - 1) / threads),
                      static_cast<unsigned>(rows));
      write_bias<<<grid, threads, 0, stream>>>(order.bias, order.neurons, order.padded,
                                               order.drives + s * order.padded);
    }
    const std::size_t scratch = plan_.plan().scratch;
    const PlanLists lists = plan_.lists(order.count, stream);
    const PlanBuffers buffers{
        order.weights, order.inputs, scratch_.get(), order.drives,
        order.width,   scratch,      order.padded,   static_cast<unsigned>(order.count)};
    unsigned first = 0;
    for (const unsigned end : plan_.ends()) {
      if (end > first) make_tiles<<<end - first, TileShape::threads, 0, stream>>>(lists, buffers, first);
      first = end;
    }
    checked(cudaGetLastError());
  }

 private:
  PlanOnDevice plan_;
  OnDevice<float> scratch_;
};

}  // namespace

std::unique_ptr<PlanDrives> plan_drives(std::shared_ptr<const ProductPlan> plan, std::size_t capacity) {
  return std::make_unique<TiledDrives>(std::move(plan), capacity);
}

}  // namespace irn::cuda
