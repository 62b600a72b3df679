#include "irn/engine/cuda/wide_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<double>> wide_way(const SearchPlan& plan) {
  const std::size_t n = plan.neurons.size();
  if (std::holds_alternative<Anderson>(plan.solver))
    return std::make_unique<WideWay<double, Anderson, BlockTeam<256>>>(n);
  if (std::holds_alternative<RosenbrockKrylov>(plan.solver))
    return std::make_unique<WideWay<double, RosenbrockKrylov, BlockTeam<256>>>(n);
  return nullptr;
}

}  // namespace irn::cuda
