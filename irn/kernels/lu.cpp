// Instantiates the triangular solves for all kinds of lanes. The factorisation is compiled with its callers,
// which provide the source of the matrix.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/lu.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/kernels/lu-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

#define IRN_SOLVE(V)                                     \
  template void solve<V, false>(LaneMatrix<V> m, V * x); \
  template void solve<V, true>(LaneMatrix<V> m, V * x);
IRN_FOR_LANES(IRN_SOLVE)
#undef IRN_SOLVE

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
