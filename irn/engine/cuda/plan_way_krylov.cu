#include "irn/engine/cuda/plan_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<float>> plan_way_of<RosenbrockKrylov>(const SearchPlan& plan) {
  return std::make_unique<PlanWay<RosenbrockKrylov>>(plan);
}

}  // namespace irn::cuda
