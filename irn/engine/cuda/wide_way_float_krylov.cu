#include "irn/engine/cuda/wide_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<float>> wide_way_of<float, RosenbrockKrylov>(std::size_t n) {
  return std::make_unique<WideWay<float, RosenbrockKrylov, WarpTeam>>(n);
}

}  // namespace irn::cuda
