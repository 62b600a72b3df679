#include "irn/engine/cuda/wide_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<float>> grid_way_of<Anderson>(std::size_t n) {
  if (n <= narrow_limit) return std::make_unique<GridWay<Anderson, NarrowTile>>(n);
  return std::make_unique<GridWay<Anderson, BroadTile>>(n);
}

}  // namespace irn::cuda
