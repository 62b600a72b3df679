#include "irn/engine/cuda/wide_way-inl.h"

namespace irn::cuda {
namespace {

template <class Options>
std::unique_ptr<SearchWay<float>> way_of(const SearchPlan& plan) {
  const std::size_t n = plan.neurons.size();
  if (!std::holds_alternative<Options>(plan.solver)) return nullptr;
  if (plan.a) return plan_way_of<Options>(plan);
  switch (wide_shape(n)) {
    case WideShape::warps:
      return wide_way_of<float, Options>(n);
    case WideShape::clusters:
      return cluster_way_of<Options>(n);
    case WideShape::grid:
      return grid_way_of<Options>(n);
  }
  return nullptr;
}

}  // namespace

template <>
std::unique_ptr<SearchWay<float>> wide_way(const SearchPlan& plan) {
  if (auto way = way_of<Anderson>(plan)) return way;
  return way_of<RosenbrockKrylov>(plan);
}

}  // namespace irn::cuda
