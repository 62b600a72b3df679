#include "irn/engine/cuda/adjoint-inl.h"
//
#include "irn/engine/cuda/adjoint_by_plan.h"
#include "irn/engine/cuda/plan_on_device-inl.h"
#include "irn/engine/cuda/plan_product-inl.h"

namespace irn::cuda {
namespace {

__global__ void __launch_bounds__(TileShape::threads, 2)
    solve_adjoints(const __grid_constant__ AdjointGiven given, const __grid_constant__ AdjointMemory memory,
                   const __grid_constant__ PlanGiven plan, const __grid_constant__ GridMemory grid) {
  using V = plain::One<float, std::size_t, plain::BlockShare<TileShape::threads>>;
  __shared__ __align__(16) float block[TileShape::floats];
  PlanProduct<V> product(plan, grid, block);
  V vectors[AdjointSizes::vectors * most_rows_by_plan], scalars[AdjointSizes::scalars];
  for (std::size_t s = blockIdx.x; s < given.count; s += gridDim.x) {
    SampleAdjoint<V, decltype(product), most_rows_by_plan> adjoint(given, memory, product, vectors, scalars);
    adjoint.run(s);
  }
  product.help_others();
}

class PlanAdjoint final : public AdjointWay {
 public:
  PlanAdjoint(std::size_t n, std::shared_ptr<const ProductPlan> plan)
      : rows_((n + TileShape::threads - 1) / TileShape::threads),
        plan_(std::move(plan)),
        work_(solve_adjoints, TileShape::threads, size(), plan_.plan().scratch) {}
  std::size_t rows() const override { return rows_; }
  std::size_t size() const override { return TileShape::threads * rows_; }
  void run(const AdjointGiven& given, const AdjointMemory& memory, cudaStream_t stream) const override {
    work_.launch(work_.most(), stream, given, memory,
                 given_by(plan_, memory.a_transposed, size(), given.count, work_.most(), stream));
  }

 private:
  std::size_t rows_;
  PlanOnDevice plan_;
  GridWork<AdjointGiven, AdjointMemory, PlanGiven> work_;
};

}  // namespace

std::unique_ptr<AdjointWay> adjoint_by_plan(std::size_t neurons,
                                            std::shared_ptr<const ProductPlan> transposed) {
  return std::make_unique<PlanAdjoint>(neurons, std::move(transposed));
}

}  // namespace irn::cuda
