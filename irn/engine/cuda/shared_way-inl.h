// Networks of up to 48 neurons of any kind: several threads of a warp for each sample.
#ifndef IRN_ENGINE_CUDA_SHARED_WAY_INL_H_
#define IRN_ENGINE_CUDA_SHARED_WAY_INL_H_

#include "irn/engine/cuda/way-inl.h"

namespace irn::cuda {

template <class T, Bounded bounded>
std::unique_ptr<SearchWay<T>> shared_way_of_size(std::size_t n) {
  if (n <= 8) return std::make_unique<KernelWay<SharedWay<T, 1, 8, bounded>>>();
  if (n <= 24) return std::make_unique<KernelWay<SharedWay<T, 3, 8, bounded>>>();
  constexpr std::size_t threads = sizeof(T) > sizeof(float) ? 32 : 16;  // as many registers either way
  return std::make_unique<KernelWay<SharedWay<T, 48 / threads + (48 % threads != 0), threads, bounded>>>();
}

template <class T>
std::unique_ptr<SearchWay<T>> shared_way_of(const SearchPlan& plan) {
  const std::size_t n = plan.neurons.size();
  if (!std::holds_alternative<Rosenbrock>(plan.solver) || n > dense_limit) return nullptr;
  if constexpr (sizeof(T) > sizeof(float))  // in double precision it saves too little to be compiled twice
    return shared_way_of_size<T, Bounded::as_rules_say>(n);
  else
    return plan.rules.bounded ? shared_way_of_size<T, Bounded::yes>(n)
                              : shared_way_of_size<T, Bounded::no>(n);
}

}  // namespace irn::cuda

#endif
