#include "bench/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/kernels.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/kernels/convolution_product-inl.h"
#include "irn/kernels/product-inl.h"
#include "irn/network/network_map-inl.h"
// clang-format on

#include <algorithm>
#include <ctime>

HWY_BEFORE_NAMESPACE();
namespace irn::bench::HWY_NAMESPACE {
using irn::HWY_NAMESPACE::Lanes;

// 12 chains: enough for a latency of four cycles and two multiply-adds a cycle, few enough for 16 registers.
template <class T>
double count_multiply_adds(std::size_t rounds) {
  using V = Lanes<T>;
  constexpr std::size_t chains = 12;
  const V factor(T(0.999)), term(T(1e-3));
  V sums[chains];
  for (std::size_t round = 0; round < rounds; ++round) IRN_UNROLL
  for (std::size_t c = 0; c < chains; ++c) sums[c] = mul_add(sums[c], factor, term);
  V total;
  for (std::size_t c = 0; c < chains; ++c) total = total + sums[c];
  volatile T keep = total.lane(0);  // otherwise the compiler would remove the loop
  (void)keep;
  return double(rounds * chains * V::width);
}
double count_float(std::size_t rounds) { return count_multiply_adds<float>(rounds); }
double count_double(std::size_t rounds) { return count_multiply_adds<double>(rounds); }

void multiply_groups(const Panels<float>& m, const float* v, std::size_t groups, float* out) {
  using V = Lanes<float>;
  const V* from = reinterpret_cast<const V*>(v);
  V* to = reinterpret_cast<V*>(out);
  for (std::size_t g = 0; g < groups; ++g)
    irn::HWY_NAMESPACE::multiply<V>(m, from + g * m.depth, nullptr, to + g * m.rows);
}
std::size_t width() { return Lanes<float>::width; }
void convolve(const PackedConvolution<float>& c, const float* v, float* out) {
  using V = Lanes<float>;
  irn::HWY_NAMESPACE::add_convolution<V>(c, reinterpret_cast<const V*>(v), reinterpret_cast<V*>(out));
}

}  // namespace irn::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn::bench {

HWY_EXPORT(count_float);
HWY_EXPORT(count_double);
HWY_EXPORT(multiply_groups);
HWY_EXPORT(width);
HWY_EXPORT(convolve);

namespace {

// The best of a few, in processor time: other programs can only slow it down.
template <class Count>
double best_rate(const Count& count) {
  double best = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const std::clock_t start = std::clock();
    const double done = count(4'000'000);
    best = std::max(best, done * CLOCKS_PER_SEC / double(std::clock() - start));
  }
  return best;
}

}  // namespace

template <>
double multiply_add_peak<float>() {
  static const double peak = best_rate([](std::size_t n) { return HWY_DYNAMIC_DISPATCH(count_float)(n); });
  return peak;
}
template <>
double multiply_add_peak<double>() {
  static const double peak = best_rate([](std::size_t n) { return HWY_DYNAMIC_DISPATCH(count_double)(n); });
  return peak;
}
void lane_product(const Panels<float>& m, const float* v, std::size_t groups, float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_groups)(m, v, groups, out);
}
std::size_t lane_product_width() { return HWY_DYNAMIC_DISPATCH(width)(); }
void lane_convolution(const PackedConvolution<float>& c, const float* v, float* out) {
  HWY_DYNAMIC_DISPATCH(convolve)(c, v, out);
}

}  // namespace irn::bench
#endif
