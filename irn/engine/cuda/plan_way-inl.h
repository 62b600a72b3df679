// Networks with blocks of any kind, up to `widest` neurons, in single precision: one block of threads for
// each sample, and all blocks together for the products, by a plan (plan_product-inl.h). A thread keeps its
// part of the search in its own memory, which the device arranges so that neighbouring threads read
// neighbouring numbers.
#ifndef IRN_ENGINE_CUDA_PLAN_WAY_INL_H_
#define IRN_ENGINE_CUDA_PLAN_WAY_INL_H_

#include "irn/engine/cuda/wide_way-inl.h"
//
#include "irn/engine/cuda/plan_product-inl.h"

namespace irn::cuda {

template <class Options>
__global__ void __launch_bounds__(TileShape::threads, 2)
    search_by_plan(const __grid_constant__ WideGiven<float, Options> given,
                   const __grid_constant__ SearchMemory<float> memory, const __grid_constant__ PlanGiven plan,
                   const __grid_constant__ GridMemory grid) {
  using V = plain::One<float, std::size_t, plain::BlockShare<TileShape::threads>>;
  __shared__ __align__(16) float block[TileShape::floats];
  PlanProduct<V> product(plan, grid, block);
  search_together<most_rows_by_plan, Options, V>(given, memory, product);
}

template <class Options>
class PlanWay final : public SearchWay<float> {
 public:
  explicit PlanWay(const SearchPlan& plan)
      : rows_((plan.neurons.size() + TileShape::threads - 1) / TileShape::threads),
        plan_(plan.a),
        work_(search_by_plan<Options>, TileShape::threads, size(), plan.a->scratch) {}
  std::size_t size() const override { return rows_ * TileShape::threads; }
  VectorLayout layout(std::size_t) const override { return {size(), 1}; }
  std::vector<float> arranged(const float* a, std::size_t) const override {
    return {a, a + plan_.plan().parameter.size()};
  }
  void run(const std::vector<float>&, const Solver& solver, const Rules<double>& rules,
           const SearchMemory<float>& memory, cudaStream_t stream) const override {
    work_.launch(work_.most(), stream,
                 WideGiven<float, Options>{std::get<Options>(solver), rules.in<float>(), rows_, false},
                 memory, given_by(plan_, memory.a, size(), memory.count, work_.most(), stream));
  }

 private:
  std::size_t rows_;
  PlanOnDevice plan_;
  GridWork<WideGiven<float, Options>, SearchMemory<float>, PlanGiven> work_;
};

}  // namespace irn::cuda

#endif
