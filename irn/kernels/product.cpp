// Instantiates the product for all kinds of lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/product.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/kernels/product-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

#define IRN_MULTIPLY(V) template void multiply<V>(const Panels<typename V::Scalar>&, const V*, const V*, V*);
IRN_FOR_LANES(IRN_MULTIPLY)
#undef IRN_MULTIPLY

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
