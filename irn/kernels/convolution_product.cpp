// Instantiates products with convolutions for all kinds of lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/convolution_product.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/kernels/convolution_product-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

#define IRN_ADD_CONVOLUTION(V) \
  template void add_convolution<V>(const PackedConvolution<typename V::Scalar>&, const V*, V*);
IRN_FOR_LANES(IRN_ADD_CONVOLUTION)
#undef IRN_ADD_CONVOLUTION

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
