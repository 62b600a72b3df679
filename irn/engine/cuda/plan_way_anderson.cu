#include "irn/engine/cuda/plan_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<float>> plan_way_of<Anderson>(const SearchPlan& plan) {
  return std::make_unique<PlanWay<Anderson>>(plan);
}

}  // namespace irn::cuda
