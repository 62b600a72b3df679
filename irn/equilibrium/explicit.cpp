// Solvers that need values of F only, compiled here once for every kind of lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/equilibrium/explicit.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/equilibrium/drivers-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

#define IRN_DRIVER(V, Options) template class Driver<V, Options, NetworkMap<V>>;
IRN_EXPLICIT_DRIVERS(IRN_DRIVER, Floats)
IRN_EXPLICIT_DRIVERS(IRN_DRIVER, Doubles)
#undef IRN_DRIVER

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
