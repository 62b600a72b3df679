#include "irn/engine/cuda/wide_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<float>> wide_way_of<float, Anderson>(std::size_t n) {
  return std::make_unique<WideWay<float, Anderson, WarpTeam>>(n);
}

}  // namespace irn::cuda
