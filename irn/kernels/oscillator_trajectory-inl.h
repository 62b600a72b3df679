// From the parameters of a sample to its trajectory, one sample in each lane.
//   M(h) = e^{-dh} (C(q) + h S(q) K),   K = [[d, 1], [-w0^2, -d]],   q = (w0^2 - d^2) h^2
//   C(q) = sum (-q)^n / (2n)!  = cos sqrt q,    S(q) = sum (-q)^n / (2n+1)!  = sin sqrt q / sqrt q
// C and S are entire in q: the same two series serve under-, over- and critically damped samples, without a
// branch.
// Points are computed in blocks of eight: x(t_8j+r) = alpha_r x(t_8j) + beta_r v(t_8j), and M^8 moves the
// state to the next block. That takes 2.5 multiply-adds for each point instead of 4 for single steps, the
// chain of dependent operations is eight times shorter, and rounding errors add up only over points / 8
// steps. (The three-term recurrence for x alone needs 2, but loses a factor 1 / (w0 h) in accuracy.)
#if defined(IRN_KERNELS_OSCILLATOR_TRAJECTORY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_KERNELS_OSCILLATOR_TRAJECTORY_INL_H_
#undef IRN_KERNELS_OSCILLATOR_TRAJECTORY_INL_H_
#else
#define IRN_KERNELS_OSCILLATOR_TRAJECTORY_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "irn/kernels/oscillator_draw-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::kernels {
namespace HWY_NAMESPACE {
namespace {

// e^-y for 0 <= y <= 2 * largest_substep; the first term left out is 0.2^12 / 12! < 1e-17.
HWY_INLINE V Decay(V y) {
  const D d;
  V e = Set(d, -1.0 / 39916800);
  e = MulAdd(e, y, Set(d, 1.0 / 3628800));
  e = MulAdd(e, y, Set(d, -1.0 / 362880));
  e = MulAdd(e, y, Set(d, 1.0 / 40320));
  e = MulAdd(e, y, Set(d, -1.0 / 5040));
  e = MulAdd(e, y, Set(d, 1.0 / 720));
  e = MulAdd(e, y, Set(d, -1.0 / 120));
  e = MulAdd(e, y, Set(d, 1.0 / 24));
  e = MulAdd(e, y, Set(d, -1.0 / 6));
  e = MulAdd(e, y, Set(d, 0.5));
  e = MulAdd(e, y, Set(d, -1.0));
  return MulAdd(e, y, Set(d, 1.0));
}

// M = c + s K. K K = -rate2, so products of such matrices are of the same form, and two numbers describe one.
template <class VT>
struct Propagator {
  VT c, s;
};

template <class VT>
HWY_INLINE Propagator<VT> Product(const Propagator<VT>& a, const Propagator<VT>& b, VT rate2) {
  return {NegMulAdd(Mul(a.s, rate2), b.s, Mul(a.c, b.c)), MulAdd(a.c, b.s, Mul(a.s, b.c))};
}

// M(h): its series at the substep (|q| <= 4 * 0.1^2; first term left out: q^6 / 12! < 1e-17), then squarings.
HWY_INLINE Propagator<V> OneStep(const OscillatorPlan& plan, const Draw& draw, V rate2) {
  const D d;
  const V h = Set(d, plan.substep);
  const V q = Mul(rate2, Mul(h, h));
  V c = NegMulAdd(q, Set(d, 1.0 / 3628800), Set(d, 1.0 / 40320));
  V s = NegMulAdd(q, Set(d, 1.0 / 39916800), Set(d, 1.0 / 362880));
  c = NegMulAdd(c, q, Set(d, 1.0 / 720));
  s = NegMulAdd(s, q, Set(d, 1.0 / 5040));
  c = NegMulAdd(c, q, Set(d, 1.0 / 24));
  s = NegMulAdd(s, q, Set(d, 1.0 / 120));
  c = NegMulAdd(c, q, Set(d, 0.5));
  s = NegMulAdd(s, q, Set(d, 1.0 / 6));
  c = NegMulAdd(c, q, Set(d, 1.0));
  s = NegMulAdd(s, q, Set(d, 1.0));
  const V e = Decay(Mul(draw.d, h));
  Propagator<V> m{Mul(e, c), Mul(Mul(e, h), s)};
  for (int i = 0; i < plan.doublings; ++i) m = Product(m, m, rate2);
  return m;
}

constexpr std::size_t kBlock = 8;
// The rows of coefficients of a group of lanes: M (two numbers, with d and the rate that make it a matrix),
// M^8 and the start state, then alpha and beta of points 1 to 7 of a block.
enum Row : std::size_t { kC, kS, kRate2, kD, kAdvance, kState = kAdvance + 4, kDrawn = kState + 2 };
constexpr std::size_t kAlphaBeta = kDrawn;
constexpr std::size_t kRows = kAlphaBeta + 2 * (kBlock - 1);

HWY_INLINE void StoreAs(V v, double* to) { hn::Store(v, D(), to); }
HWY_INLINE void StoreAs(V v, float* to) {
  const hn::Rebind<float, D> half;
  hn::Store(hn::DemoteTo(half, v), half, to);
}

// In double, because M^8 is applied many times.
template <class T>
HWY_INLINE void Drawn(const OscillatorPlan& plan, const Block& block, std::size_t stride, T* rows) {
  const Draw draw = ParametersOf(plan, block);
  const V w2 = Mul(draw.w0, draw.w0);
  const V rate2 = NegMulAdd(draw.d, draw.d, w2);
  const Propagator<V> one = OneStep(plan, draw, rate2);
  const Propagator<V> two = Product(one, one, rate2);
  const Propagator<V> four = Product(two, two, rate2);
  const Propagator<V> m = Product(four, four, rate2);
  StoreAs(one.c, rows + kC * stride);
  StoreAs(one.s, rows + kS * stride);
  StoreAs(rate2, rows + kRate2 * stride);
  StoreAs(draw.d, rows + kD * stride);
  StoreAs(MulAdd(draw.d, m.s, m.c), rows + (kAdvance + 0) * stride);
  StoreAs(m.s, rows + (kAdvance + 1) * stride);
  StoreAs(hn::Neg(Mul(w2, m.s)), rows + (kAdvance + 2) * stride);
  StoreAs(NegMulAdd(draw.d, m.s, m.c), rows + (kAdvance + 3) * stride);
  StoreAs(draw.x0, rows + (kState + 0) * stride);
  StoreAs(draw.v0, rows + (kState + 1) * stride);
}

// First rows of M ... M^7, each power from two of half the exponent. They are applied once to each point, so
// T is precise enough.
template <class T>
HWY_INLINE void WithinBlock(T* rows) {
  const hn::ScalableTag<T> dt;
  using VT = hn::Vec<decltype(dt)>;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  const VT rate2 = hn::Load(dt, rows + kRate2 * kLanes);
  const VT damping = hn::Load(dt, rows + kD * kLanes);
  Propagator<VT> power[kBlock];
  power[1] = {hn::Load(dt, rows + kC * kLanes), hn::Load(dt, rows + kS * kLanes)};
  for (std::size_t r = 2; r < kBlock; ++r) power[r] = Product(power[r / 2], power[r - r / 2], rate2);
  for (std::size_t r = 1; r < kBlock; ++r) {
    T* row = rows + (kAlphaBeta + 2 * (r - 1)) * kLanes;
    hn::Store(MulAdd(damping, power[r].s, power[r].c), dt, row);
    hn::Store(power[r].s, dt, row + kLanes);
  }
}

// Coefficients of one group: as many samples as a vector of T has lanes. Lanes beyond `live` get zeros, so
// that their trajectories are zero.
template <class T>
HWY_INLINE void GroupCoefficients(const OscillatorPlan& plan, const std::uint64_t* index, std::size_t live,
                                  T* rows) {
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  std::uint64_t padded[kLanes] = {};
  if (live < kLanes) index = std::copy_n(index, live, padded) - live;
  Block block[kLanes / hn::MaxLanes(D())];
  Bits(plan, index, block);
  for (std::size_t lane = 0; lane < kLanes; lane += hn::MaxLanes(D()))
    Drawn(plan, block[lane / hn::MaxLanes(D())], kLanes, rows + lane);
  for (std::size_t row = 0; live < kLanes && row < kDrawn; ++row)
    std::fill(rows + row * kLanes + live, rows + (row + 1) * kLanes, T{0});
  WithinBlock(rows);
}

// For each block, which starts at point k: calls sink.Point(r, x(t_k+r)), and then sink.Block(k, number of
// points).
template <class T, class Sink>
HWY_INLINE void Trajectory(const T* HWY_RESTRICT rows, std::size_t points, Sink& sink) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  auto x = hn::Load(d, rows + (kState + 0) * kLanes);
  auto v = hn::Load(d, rows + (kState + 1) * kLanes);
  for (std::size_t k = 0; k < points; k += kBlock) {
    const std::size_t within = std::min(kBlock, points - k);
    sink.Point(0, x);
    for (std::size_t r = 1; r < within; ++r) {
      const T* row = rows + (kAlphaBeta + 2 * (r - 1)) * kLanes;
      sink.Point(r, MulAdd(hn::Load(d, row), x, Mul(hn::Load(d, row + kLanes), v)));
    }
    sink.Block(k, within);
    const T* row = rows + kAdvance * kLanes;
    const auto next = MulAdd(hn::Load(d, row), x, Mul(hn::Load(d, row + kLanes), v));
    v = MulAdd(hn::Load(d, row + 2 * kLanes), x, Mul(hn::Load(d, row + 3 * kLanes), v));
    x = next;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace irn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
