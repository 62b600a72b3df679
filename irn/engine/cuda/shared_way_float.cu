#include "irn/engine/cuda/shared_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<float>> shared_way(const SearchPlan& plan) {
  return shared_way_of<float>(plan);
}

}  // namespace irn::cuda
