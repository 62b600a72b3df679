#include "irn/engine/cuda/wide_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<float>> wide_way(const SearchPlan& plan) {
  if (auto way = wide_way_of<float, Anderson>(plan)) return way;
  return wide_way_of<float, RosenbrockKrylov>(plan);
}

}  // namespace irn::cuda
