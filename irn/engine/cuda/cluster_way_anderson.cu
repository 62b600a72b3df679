#include "irn/engine/cuda/cluster_way-inl.h"

namespace irn::cuda {

template <>
std::unique_ptr<SearchWay<float>> cluster_way_of<Anderson>(std::size_t n) {
  return std::make_unique<ClusterWay<Anderson>>(n);
}

}  // namespace irn::cuda
