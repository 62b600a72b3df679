#include "irn/engine/cuda/wide_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<float>> grid_way_of<RosenbrockKrylov>(std::size_t n) {
  if (n <= narrow_limit) return std::make_unique<GridWay<RosenbrockKrylov, NarrowTile>>(n);
  return std::make_unique<GridWay<RosenbrockKrylov, BroadTile>>(n);
}

}  // namespace irn::cuda
