// Elementwise loops: whole vectors in place, the remainder in a padded copy with the same arithmetic, so that
// an element's bits do not depend on its place. The square root and the division set the time, some 17 cycles
// for a vector on Zen 4. The hardware's approximate reciprocals would be faster, but differ between makes of
// processors.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/adam.cpp"
#include "irn/kernels/targets.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

#include <algorithm>
#include <limits>

#include "irn/kernels/adam.h"

HWY_BEFORE_NAMESPACE();
namespace irn::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using hn::Add, hn::Div, hn::Mul, hn::MulAdd, hn::NegMulAdd, hn::Set, hn::Sub;

// Comparisons with NaN are false, so this is false for NaN, too.
template <class DT, class VT = hn::Vec<DT>>
HWY_INLINE auto Finite(DT d, VT x) {
  return hn::Le(hn::Abs(x), Set(d, std::numeric_limits<hn::TFromD<DT>>::max()));
}

// Stores `next` where it is finite, else `old`; false if some is not finite.
template <class DT, class VT = hn::Vec<DT>>
HWY_INLINE bool StoreFinite(DT d, VT next, VT old, hn::TFromD<DT>* p) {
  const auto finite = Finite(d, next);
  hn::StoreU(hn::IfThenElse(finite, next, old), d, p);
  return hn::AllTrue(d, finite);
}

template <class T>
struct AdamRule {
  hn::ScalableTag<T> d;
  hn::Vec<hn::ScalableTag<T>> less1, beta2, less2, size, epsilon, keep;
  explicit AdamRule(const AdamStep& s)
      : less1(Set(d, static_cast<T>(1 - s.beta1))),
        beta2(Set(d, static_cast<T>(s.beta2))),
        less2(Set(d, static_cast<T>(1 - s.beta2))),
        size(Set(d, static_cast<T>(s.size))),
        epsilon(Set(d, static_cast<T>(s.epsilon))),
        keep(Set(d, static_cast<T>(s.keep))) {}

  HWY_INLINE bool Step(const T* g_at, T* p_at, T* m_at, T* v_at) const {
    const auto g = hn::LoadU(d, g_at), p = hn::LoadU(d, p_at), old_m = hn::LoadU(d, m_at);
    const auto m = MulAdd(less1, Sub(g, old_m), old_m);
    const auto v = MulAdd(beta2, hn::LoadU(d, v_at), Mul(less2, Mul(g, g)));
    hn::StoreU(m, d, m_at);
    hn::StoreU(v, d, v_at);
    const auto direction = Div(m, Add(hn::Sqrt(v), epsilon));
    return StoreFinite(d, NegMulAdd(size, direction, Mul(keep, p)), p, p_at);
  }
};

template <class T>
struct MomentumRule {
  hn::ScalableTag<T> d;
  hn::Vec<hn::ScalableTag<T>> momentum, size;
  bool nesterov;
  explicit MomentumRule(const MomentumStep& s)
      : momentum(Set(d, static_cast<T>(s.momentum))),
        size(Set(d, static_cast<T>(s.size))),
        nesterov(s.nesterov) {}

  HWY_INLINE bool Step(const T* g_at, T* p_at, T* u_at, T*) const {
    const auto g = hn::LoadU(d, g_at), p = hn::LoadU(d, p_at);
    const auto u = MulAdd(momentum, hn::LoadU(d, u_at), g);
    hn::StoreU(u, d, u_at);
    return StoreFinite(d, NegMulAdd(size, nesterov ? MulAdd(momentum, u, g) : u, p), p, p_at);
  }
};

// The last n elements, fewer than a vector has lanes.
template <class T, class Rule>
HWY_INLINE bool Remainder(const Rule& rule, std::size_t n, const T* g, T* p, T* a, T* b) {
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  HWY_ALIGN T pad[4][kLanes] = {};
  std::copy_n(g, n, pad[0]);
  std::copy_n(p, n, pad[1]);
  std::copy_n(a, n, pad[2]);
  if (b != nullptr) std::copy_n(b, n, pad[3]);
  const bool finite = rule.Step(pad[0], pad[1], pad[2], pad[3]);
  std::copy_n(pad[1], n, p);
  std::copy_n(pad[2], n, a);
  if (b != nullptr) std::copy_n(pad[3], n, b);
  return finite;
}

template <class T, class Rule>
HWY_INLINE bool Sweep(const Rule& rule, std::span<const T> g, T* p, T* a, T* b) {
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  bool finite = true;
  std::size_t i = 0;
  for (; i + kLanes <= g.size(); i += kLanes)
    finite &= rule.Step(g.data() + i, p + i, a + i, b == nullptr ? nullptr : b + i);
  if (i < g.size())
    finite &= Remainder(rule, g.size() - i, g.data() + i, p + i, a + i, b == nullptr ? nullptr : b + i);
  return finite;
}

template <class T>
HWY_INLINE bool SquaresFinite(std::span<const T> g) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  auto trace = hn::Zero(d);  // of g^2 - g^2: zero for finite squares, NaN otherwise, and NaN stays in a sum
  std::size_t i = 0;
  for (; i + kLanes <= g.size(); i += kLanes) {
    const auto x = hn::LoadU(d, g.data() + i);
    const auto square = Mul(x, x);
    trace = Add(trace, Sub(square, square));
  }
  bool finite = hn::AllTrue(d, hn::Eq(trace, hn::Zero(d)));
  for (; i < g.size(); ++i) finite &= g[i] * g[i] <= std::numeric_limits<T>::max();
  return finite;
}

}  // namespace

bool AdamFloat(const AdamStep& step, std::span<const float> g, float* p, float* m, float* v) {
  return Sweep(AdamRule<float>(step), g, p, m, v);
}
bool AdamDouble(const AdamStep& step, std::span<const double> g, double* p, double* m, double* v) {
  return Sweep(AdamRule<double>(step), g, p, m, v);
}
bool MomentumFloat(const MomentumStep& step, std::span<const float> g, float* p, float* u) {
  return Sweep<float>(MomentumRule<float>(step), g, p, u, nullptr);
}
bool MomentumDouble(const MomentumStep& step, std::span<const double> g, double* p, double* u) {
  return Sweep<double>(MomentumRule<double>(step), g, p, u, nullptr);
}
bool SquaresFiniteFloat(std::span<const float> g) { return SquaresFinite(g); }
bool SquaresFiniteDouble(std::span<const double> g) { return SquaresFinite(g); }

}  // namespace HWY_NAMESPACE
}  // namespace irn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn::kernels {

HWY_EXPORT(AdamFloat);
HWY_EXPORT(AdamDouble);
HWY_EXPORT(MomentumFloat);
HWY_EXPORT(MomentumDouble);
HWY_EXPORT(SquaresFiniteFloat);
HWY_EXPORT(SquaresFiniteDouble);

bool adam(const AdamStep& step, std::span<const float> g, float* p, float* m, float* v) {
  return HWY_DYNAMIC_DISPATCH(AdamFloat)(step, g, p, m, v);
}
bool adam(const AdamStep& step, std::span<const double> g, double* p, double* m, double* v) {
  return HWY_DYNAMIC_DISPATCH(AdamDouble)(step, g, p, m, v);
}
bool momentum(const MomentumStep& step, std::span<const float> g, float* p, float* u) {
  return HWY_DYNAMIC_DISPATCH(MomentumFloat)(step, g, p, u);
}
bool momentum(const MomentumStep& step, std::span<const double> g, double* p, double* u) {
  return HWY_DYNAMIC_DISPATCH(MomentumDouble)(step, g, p, u);
}
bool squares_are_finite(std::span<const float> g) { return HWY_DYNAMIC_DISPATCH(SquaresFiniteFloat)(g); }
bool squares_are_finite(std::span<const double> g) { return HWY_DYNAMIC_DISPATCH(SquaresFiniteDouble)(g); }

}  // namespace irn::kernels
#endif
