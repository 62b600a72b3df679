#include "irn/engine/cuda/wide_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<double>> wide_way(const SearchPlan& plan) {
  if (auto way = wide_way_of<double, Anderson>(plan)) return way;
  return wide_way_of<double, RosenbrockKrylov>(plan);
}

}  // namespace irn::cuda
