// Small sigmoid networks in single precision, as in the paper: one thread for each sample, the whole search
// in registers.
#include "irn/engine/cuda/way-inl.h"
//
#include <algorithm>

namespace irn::cuda {
namespace {

template <std::size_t... n>
std::unique_ptr<SearchWay<float>> way_of(std::size_t neurons, std::index_sequence<n...>) {
  std::unique_ptr<SearchWay<float>> way;
  ((neurons == n + 2 ? way = std::make_unique<KernelWay<ThreadWay<float, n + 2>>>() : way), ...);
  return way;
}

}  // namespace

template <>
std::unique_ptr<SearchWay<float>> thread_way(const SearchPlan& plan) {
  const bool serves =
      std::holds_alternative<Rosenbrock>(plan.solver) &&
      std::ranges::all_of(plan.neurons, [](Activation f) { return f == Activation::sigmoid; });
  return serves ? way_of(plan.neurons.size(), std::make_index_sequence<7>()) : nullptr;  // 2 to 8 neurons
}

}  // namespace irn::cuda
