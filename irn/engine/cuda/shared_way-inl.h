// Networks of up to 48 neurons of any kind: several threads of a warp a sample.
#ifndef IRN_ENGINE_CUDA_SHARED_WAY_INL_H_
#define IRN_ENGINE_CUDA_SHARED_WAY_INL_H_

#include "irn/engine/cuda/way-inl.h"

namespace irn::cuda {

template <class T, bool bounded>
std::unique_ptr<SearchWay<T>> shared_way_of_size(std::size_t n) {
  if (n <= 8) return std::make_unique<KernelWay<SharedWay<T, 1, 8, bounded>>>();
  if (n <= 24) return std::make_unique<KernelWay<SharedWay<T, 3, 8, bounded>>>();
  return std::make_unique<KernelWay<SharedWay<T, 3, 16, bounded>>>();
}

template <class T>
std::unique_ptr<SearchWay<T>> shared_way_of(const SearchPlan& plan) {
  const std::size_t n = plan.neurons.size();
  if (!std::holds_alternative<Rosenbrock>(plan.solver) || n > dense_limit) return nullptr;
  return plan.rules.bounded ? shared_way_of_size<T, true>(n) : shared_way_of_size<T, false>(n);
}

}  // namespace irn::cuda

#endif
