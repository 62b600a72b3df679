#include "irn/engine/cuda/shared_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<double>> shared_way(const SearchPlan& plan) {
  return shared_way_of<double>(plan);
}

}  // namespace irn::cuda
