#include "irn/kernels/convolution.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/convolution_gradient.cpp"
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

// Groups of lanes that are summed before sums go back to memory. Every four out channels read all of them
// again, so they must stay in the second-level cache: 32 channels of 14 x 14 with a border of 2 take 0.66 MB
// for a group of 16 floats. (With two groups a 5 x 5 kernel ran at 0.43 of the peak, with one at 0.67.)
inline constexpr std::size_t groups_at_once = HWY_TARGET <= HWY_AVX3 ? 1 : 2;

// Numbers of the kernel in a tile: with four out channels their sums, the entries read and a delta fill 16
// registers, or the 32 of AVX-512.
inline constexpr std::size_t numbers_at_once = HWY_TARGET <= HWY_AVX3 ? 6 : 3;

// RO out channels x RN numbers of the kernel, in registers during the loops over groups and places. At each
// place, number k is multiplied with entry sources[k] + from[place] of the bordered planes.
template <class V, std::size_t RO, std::size_t RN>
HWY_INLINE void gradient_tile(const ConvolutionRoute::Phase& phase, std::size_t groups, const V* u,
                              std::size_t u_group, const V* v, std::size_t v_group,
                              const std::uint32_t* sources, std::size_t numbers, V* sums) {
  V sum[RO][RN];
  IRN_UNROLL
  for (std::size_t o = 0; o < RO; ++o) IRN_UNROLL
  for (std::size_t k = 0; k < RN; ++k) sum[o][k] = sums[o * numbers + k];
  const std::size_t places = phase.from.size();
  const std::uint32_t* from = phase.from.data();
  for (std::size_t g = 0; g < groups; ++g, u += u_group, v += v_group) {
    const V* entry[RN];
    IRN_UNROLL
    for (std::size_t k = 0; k < RN; ++k) entry[k] = v + sources[k];
    for (std::size_t p = 0; p < places; ++p) {
      V read[RN];
      IRN_UNROLL
      for (std::size_t k = 0; k < RN; ++k) read[k] = entry[k][from[p]];
      IRN_UNROLL
      for (std::size_t o = 0; o < RO; ++o) {
        const V delta = u[o * places + p];
        IRN_UNROLL
        for (std::size_t k = 0; k < RN; ++k) sum[o][k] = mul_add(delta, read[k], sum[o][k]);
      }
    }
  }
  IRN_UNROLL
  for (std::size_t o = 0; o < RO; ++o) IRN_UNROLL
  for (std::size_t k = 0; k < RN; ++k) sums[o * numbers + k] = sum[o][k];
}

template <class V, std::size_t RO>
HWY_INLINE void gradient_channels(const ConvolutionRoute::Phase& phase, std::size_t groups, const V* u,
                                  std::size_t u_group, const V* v, std::size_t v_group,
                                  const std::vector<std::uint32_t>& sources, V* sums) {
  const std::size_t numbers = sources.size();
  std::size_t k = 0;
  for (; k + numbers_at_once <= numbers; k += numbers_at_once)
    gradient_tile<V, RO, numbers_at_once>(phase, groups, u, u_group, v, v_group, &sources[k], numbers,
                                          sums + k);
  for (; k + 3 <= numbers; k += 3)
    gradient_tile<V, RO, 3>(phase, groups, u, u_group, v, v_group, &sources[k], numbers, sums + k);
  for (; k < numbers; ++k)
    gradient_tile<V, RO, 1>(phase, groups, u, u_group, v, v_group, &sources[k], numbers, sums + k);
}

// Samples as lanes; lanes without a sample are zero.
template <class V, class T>
void as_lanes(const T* rows, std::size_t stride, std::size_t samples, std::size_t columns, V* out) {
  if (samples < V::width) std::fill_n(out, columns, V());
  kernels::transpose(rows, stride, samples, columns, V::width, &out[0].lane(0));
}

template <class T>
class ConvolutionSums {
 public:
  using V = Lanes<T>;
  ConvolutionSums(const ConvolutionShape& shape, std::size_t channel, std::size_t count)
      : shape_(shape),
        route_(shape, false),
        channel_(channel),
        count_(count),
        plain_(shape.in_size()),
        u_group_(count * shape.out_plane()),
        v_group_(shape.in_channels * route_.bordered_plane()),
        u_(groups_at_once * u_group_),
        v_(groups_at_once * v_group_),
        sums_(count * shape.numbers_a_channel()) {
    const ConvolutionRoute::Phase& phase = route_.phases[0];
    for (std::size_t i = 0; i < shape.group_inputs(); ++i)
      for (const std::uint32_t tap : phase.taps)
        sources_.push_back(static_cast<std::uint32_t>(i * route_.bordered_plane() + tap));
  }

  void add(std::size_t samples, const T* u, std::size_t u_stride, const T* v, std::size_t v_stride) {
    for (std::size_t first = 0; first < samples; first += groups_at_once * V::width) {
      std::size_t groups = 0;
      for (std::size_t s = first; s < samples && groups < groups_at_once; s += V::width, ++groups) {
        const std::size_t here = std::min(V::width, samples - s);
        as_lanes<V>(u + s * u_stride + channel_ * shape_.out_plane(), u_stride, here, u_group_,
                    &u_[groups * u_group_]);
        as_lanes<V>(v + s * v_stride, v_stride, here, plain_.size(), plain_.data());
        copy_into_border<V>(route_, plain_.data(), &v_[groups * v_group_]);
      }
      add_groups(groups);
    }
  }

  void finish(T* gradient) const {
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      T sum = sums_[k].lane(0);
      for (std::size_t lane = 1; lane < V::width; ++lane) sum += sums_[k].lane(lane);
      gradient[k] = sum;
    }
  }

 private:
  // Four out channels at a time if they are in one group of channels.
  void add_groups(std::size_t groups) {
    const std::size_t of_a_group = shape_.group_outputs();
    for (std::size_t o = 0; o < count_;) {
      const std::size_t group = (channel_ + o) / of_a_group;
      const std::size_t left = std::min(count_ - o, (group + 1) * of_a_group - channel_ - o);
      const V* u = &u_[o * shape_.out_plane()];
      const V* v = &v_[group * shape_.group_inputs() * route_.bordered_plane()];
      V* sums = &sums_[o * sources_.size()];
      if (left >= 4)
        gradient_channels<V, 4>(route_.phases[0], groups, u, u_group_, v, v_group_, sources_, sums), o += 4;
      else
        gradient_channels<V, 1>(route_.phases[0], groups, u, u_group_, v, v_group_, sources_, sums), o += 1;
    }
  }

  ConvolutionShape shape_;
  ConvolutionRoute route_;
  std::size_t channel_, count_;
  AlignedBuffer<V> plain_;
  std::size_t u_group_, v_group_;  // entries of a group of lanes
  AlignedBuffer<V> u_, v_, sums_;
  std::vector<std::uint32_t> sources_;
};

template <class T>
void sum(const ConvolutionShape& shape, std::size_t channel, std::size_t count, std::size_t samples,
         const T* u, std::size_t u_stride, const T* v, std::size_t v_stride, T* gradient) {
  ConvolutionSums<T> sums(shape, channel, count);
  sums.add(samples, u, u_stride, v, v_stride);
  sums.finish(gradient);
}

#define IRN_SUM(T, NAME)                                                                                   \
  void sum_##NAME(const ConvolutionShape& shape, std::size_t channel, std::size_t count,                   \
                  std::size_t samples, const T* u, std::size_t u_stride, const T* v, std::size_t v_stride, \
                  T* gradient) {                                                                           \
    sum<T>(shape, channel, count, samples, u, u_stride, v, v_stride, gradient);                            \
  }
IRN_SUM(float, float)
IRN_SUM(double, double)
#undef IRN_SUM

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn {
#define IRN_SUM(T, NAME)                                                                      \
  HWY_EXPORT(sum_##NAME);                                                                     \
  namespace kernels {                                                                         \
  template <>                                                                                 \
  void sum_convolution(const ConvolutionShape& shape, std::size_t channel, std::size_t count, \
                       std::size_t samples, const T* u, std::size_t u_stride, const T* v,     \
                       std::size_t v_stride, T* gradient) {                                   \
    HWY_DYNAMIC_DISPATCH(sum_##NAME)                                                          \
    (shape, channel, count, samples, u, u_stride, v, v_stride, gradient);                     \
  }                                                                                           \
  }
IRN_SUM(float, float)
IRN_SUM(double, double)
#undef IRN_SUM
}  // namespace irn
#endif
