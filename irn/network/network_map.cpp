// Instantiates the map of a network for all kinds of lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/network/network_map.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/network/network_map-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

#define IRN_NETWORK_MAP(V)                                                                                   \
  template void activate_rows<V, false>(const std::vector<RowGroup<typename V::Scalar>>&, const V*, V*);     \
  template void activate_rows<V, true>(const std::vector<RowGroup<typename V::Scalar>>&, const V*, V*);      \
  template void sweep_rows<V>(const std::vector<RowGroup<typename V::Scalar>>&, const V*, V*, const V*, V*); \
  template void activate_group<V, false>(const RowGroup<typename V::Scalar>&, const V*, V*);                 \
  template void factor_shifted<V>(LaneMatrix<V>, const ShiftedJacobian<V>&, const V*);                       \
  template void add_chain<V>(const PackedChain<typename V::Scalar>&, const V*, V*);                          \
  template class NetworkMap<V>;
IRN_FOR_LANES(IRN_NETWORK_MAP)
#undef IRN_NETWORK_MAP

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
