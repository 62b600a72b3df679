// From index to trajectory, with samples in lanes. A group has as many samples as a vector of T has lanes.
// Its parameters are drawn in double (oscillator_draw-inl.h) and its trajectories computed in T
// (oscillator_trajectory-inl.h); here the points are written to their places.
// No lane depends on others, and remainders have the same arithmetic: a sample's bits do not depend on its
// neighbours. They do depend on the instruction set if it has no fused multiply-add (SSE4).
// Why lanes at all: one sample after the other, with the standard library's functions, takes ten times as
// long (`bench_settle --benchmark_filter=generate`, AVX2), and five times as long for a batch of 6. With 5
// hidden neurons, a step of training would take a sixth longer and judging test samples half as long again.
// And the samples of a seed would have other bits.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/oscillator.cpp"
#include "irn/kernels/targets.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "irn/kernels/oscillator_trajectory-inl.h"
// clang-format on

#include <algorithm>

#include "irn/kernels/oscillator.h"

HWY_BEFORE_NAMESPACE();
namespace irn::kernels {
namespace HWY_NAMESPACE {
namespace {

// Writes whole vectors directly to their places.
template <class T>
struct ToLanes {
  T* out;
  std::size_t width;
  template <class VT>
  HWY_INLINE void Point(std::size_t r, VT x) {
    hn::StoreU(x, hn::ScalableTag<T>(), out + r * width);
  }
  HWY_INLINE void Block(std::size_t, std::size_t within) { out += within * width; }
};

// Collects a block in `buffer`, from which it is copied.
template <class T>
struct Buffered {
  static constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  HWY_ALIGN T buffer[kBlock * kLanes];
  template <class VT>
  HWY_INLINE void Point(std::size_t r, VT x) {
    hn::Store(x, hn::ScalableTag<T>(), buffer + r * kLanes);
  }
};

// The last lanes of a tile whose width is not a multiple of the vector's.
template <class T>
struct ToFewLanes : Buffered<T> {
  T* out;
  std::size_t width, lanes;
  ToFewLanes(T* out_, std::size_t width_, std::size_t lanes_) : out(out_), width(width_), lanes(lanes_) {}
  HWY_INLINE void Block(std::size_t, std::size_t within) {
    for (std::size_t r = 0; r < within; ++r, out += width)
      std::copy_n(this->buffer + r * this->kLanes, lanes, out);
  }
};

template <class T>
struct ToRows : Buffered<T> {
  T* out;
  std::size_t points, lanes;
  ToRows(T* out_, std::size_t points_, std::size_t lanes_) : out(out_), points(points_), lanes(lanes_) {}
  HWY_INLINE void Block(std::size_t k, std::size_t within) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if (within == kBlock)  // a fixed count, for the compiler to unroll
        for (std::size_t r = 0; r < kBlock; ++r)
          out[lane * points + k + r] = this->buffer[r * this->kLanes + lane];
      else
        for (std::size_t r = 0; r < within; ++r)
          out[lane * points + k + r] = this->buffer[r * this->kLanes + lane];
  }
};

template <class T>
HWY_INLINE void Lanes(const OscillatorPlan& plan, std::span<const std::uint64_t> index, std::size_t width,
                      T* out) {
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  HWY_ALIGN T rows[kRows * kLanes];
  for (std::size_t lane = 0; lane < width; lane += kLanes) {
    const std::size_t begin = std::min(lane, index.size());
    GroupCoefficients(plan, index.data() + begin, std::min(kLanes, index.size() - begin), rows);
    if (lane + kLanes <= width) {
      ToLanes<T> sink{out + lane, width};
      Trajectory(rows, plan.points, sink);
    } else {
      ToFewLanes<T> sink(out + lane, width, width - lane);
      Trajectory(rows, plan.points, sink);
    }
  }
}

template <class T>
HWY_INLINE void Rows(const OscillatorPlan& plan, std::span<const std::uint64_t> index, T* out) {
  constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  HWY_ALIGN T rows[kRows * kLanes];
  for (std::size_t first = 0; first < index.size(); first += kLanes) {
    const std::size_t live = std::min(kLanes, index.size() - first);
    GroupCoefficients(plan, index.data() + first, live, rows);
    ToRows<T> sink(out + first * plan.points, plan.points, live);
    Trajectory(rows, plan.points, sink);
  }
}

}  // namespace

void LanesFloat(const OscillatorPlan& plan, std::span<const std::uint64_t> index, std::size_t width,
                float* out) {
  Lanes(plan, index, width, out);
}
void LanesDouble(const OscillatorPlan& plan, std::span<const std::uint64_t> index, std::size_t width,
                 double* out) {
  Lanes(plan, index, width, out);
}
void RowsFloat(const OscillatorPlan& plan, std::span<const std::uint64_t> index, float* out) {
  Rows(plan, index, out);
}
void RowsDouble(const OscillatorPlan& plan, std::span<const std::uint64_t> index, double* out) {
  Rows(plan, index, out);
}

void Parameters(const OscillatorPlan& plan, std::span<const std::uint64_t> index, OscillatorParameters* out) {
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  HWY_ALIGN double value[4 * kLanes];
  for (std::size_t first = 0; first < index.size(); first += kLanes) {
    const std::size_t live = std::min(kLanes, index.size() - first);
    std::uint64_t padded[kLanes] = {};
    std::copy_n(index.data() + first, live, padded);
    Block block[1];
    Bits(plan, padded, block);
    const Draw draw = ParametersOf(plan, block[0]);
    hn::Store(draw.x0, D(), value);
    hn::Store(draw.v0, D(), value + kLanes);
    hn::Store(draw.w0, D(), value + 2 * kLanes);
    hn::Store(draw.d, D(), value + 3 * kLanes);
    for (std::size_t i = 0; i < live; ++i)
      out[first + i] = {value[i], value[kLanes + i], value[2 * kLanes + i], value[3 * kLanes + i]};
  }
}

void PhiloxWordsOf(std::span<const PhiloxWords> counters, std::uint64_t key, PhiloxWords* out) {
  const D64 d;
  HWY_ALIGN std::uint64_t value[hn::MaxLanes(D64())];
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const PhiloxWords& c = counters[i];
    Block block[1] = {{Set(d, std::uint64_t{c[0]}), Set(d, std::uint64_t{c[1]}), Set(d, std::uint64_t{c[2]}),
                       Set(d, std::uint64_t{c[3]})}};
    Philox(d, block, key);
    const V64 words[4] = {block[0].c0, block[0].c1, block[0].c2, block[0].c3};
    for (std::size_t j = 0; j < 4; ++j) {
      hn::Store(words[j], d, value);
      out[i][j] = static_cast<std::uint32_t>(value[0]);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace irn::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn::kernels {

HWY_EXPORT(LanesFloat);
HWY_EXPORT(LanesDouble);
HWY_EXPORT(RowsFloat);
HWY_EXPORT(RowsDouble);
HWY_EXPORT(Parameters);
HWY_EXPORT(PhiloxWordsOf);

void oscillator_lanes(const OscillatorPlan& plan, std::span<const std::uint64_t> index, std::size_t width,
                      float* out) {
  HWY_DYNAMIC_DISPATCH(LanesFloat)(plan, index, width, out);
}
void oscillator_lanes(const OscillatorPlan& plan, std::span<const std::uint64_t> index, std::size_t width,
                      double* out) {
  HWY_DYNAMIC_DISPATCH(LanesDouble)(plan, index, width, out);
}
void oscillator_rows(const OscillatorPlan& plan, std::span<const std::uint64_t> index, float* out) {
  HWY_DYNAMIC_DISPATCH(RowsFloat)(plan, index, out);
}
void oscillator_rows(const OscillatorPlan& plan, std::span<const std::uint64_t> index, double* out) {
  HWY_DYNAMIC_DISPATCH(RowsDouble)(plan, index, out);
}
void oscillator_parameters(const OscillatorPlan& plan, std::span<const std::uint64_t> index,
                           OscillatorParameters* out) {
  HWY_DYNAMIC_DISPATCH(Parameters)(plan, index, out);
}
void philox4x32(std::span<const PhiloxWords> counters, std::uint64_t key, PhiloxWords* out) {
  HWY_DYNAMIC_DISPATCH(PhiloxWordsOf)(counters, key, out);
}

}  // namespace irn::kernels
#endif
