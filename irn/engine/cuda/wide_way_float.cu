#include "irn/engine/cuda/wide_way-inl.h"

namespace irn::cuda {
namespace {

template <class Options>
std::unique_ptr<SearchWay<float>> way_of(const SearchPlan& plan) {
  const std::size_t n = plan.neurons.size();
  if (!std::holds_alternative<Options>(plan.solver)) return nullptr;
  if (plan.a) return plan_way_of<Options>(plan);
  if (warps_have_room<float, WarpTeam>(n)) return wide_way_of<float, Options>(n);
  return cluster_shape(n).blocks > 0 ? cluster_way_of<Options>(n) : grid_way_of<Options>(n);
}

}  // namespace

template <>
std::unique_ptr<SearchWay<float>> wide_way(const SearchPlan& plan) {
  if (auto way = way_of<Anderson>(plan)) return way;
  return way_of<RosenbrockKrylov>(plan);
}

}  // namespace irn::cuda
