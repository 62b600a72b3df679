// out += C v or out += C^T v over lanes, for a convolution C (convolution.h).
//
// The sums of four target channels x three places stay in registers during the loops over source channels and
// taps: seven loads, of three entries and four broadcast weights, for twelve multiply-adds. With the 32
// registers of AVX-512 there are six places, which gained a tenth for kernels of 1 x 1 and a twentieth for
// 3 x 3. (Tried: source channels in blocks that stay in the first-level cache. It gained nothing.) Every
// entry
// of the result is summed over source channels, and for each over taps, in ascending order by fused
// multiply-adds, whatever its tile or lane. docs/speed.md gives the share of the machine's peak that it
// reaches (bench_convolution).
#if defined(IRN_KERNELS_CONVOLUTION_PRODUCT_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_KERNELS_CONVOLUTION_PRODUCT_INL_H_
#undef IRN_KERNELS_CONVOLUTION_PRODUCT_INL_H_
#else
#define IRN_KERNELS_CONVOLUTION_PRODUCT_INL_H_
#endif

#include "irn/base/aligned.h"
#include "irn/kernels/convolution.h"
#include "irn/kernels/lanes-inl.h"

IRN_LANES_BEGIN

// Copies v into planes whose border must already be zero.
template <class V>
IRN_INLINE void copy_into_border(const ConvolutionRoute& route, const V* v, V* bordered) {
  const std::size_t channels = route.groups * route.sources;
  for (std::size_t c = 0; c < channels; ++c) {
    V* plane = bordered + c * route.bordered_plane() + route.top * route.bordered_width + route.left;
    for (std::size_t y = 0; y < route.height; ++y, v += route.width)
      for (std::size_t x = 0; x < route.width; ++x) plane[y * route.bordered_width + x] = v[x];
  }
}

// The vector as the taps read it: v itself, or a copy with borders in this thread's memory, which holds one
// vector at a time.
template <class V>
const V* with_border(const ConvolutionRoute& route, const V* v) {
  if (!route.bordered()) return v;
  thread_local AlignedBuffer<V> memory;
  const std::size_t size = route.groups * route.sources * route.bordered_plane();
  if (memory.size() < size) memory = AlignedBuffer<V>(size);
  std::fill_n(memory.data(), size, V());
  copy_into_border<V>(route, v, memory.data());
  return memory.data();
}

// R channels x P places.
template <class V, std::size_t R, std::size_t P>
IRN_INLINE void convolve_tile(const ConvolutionRoute& route, const ConvolutionRoute::Phase& phase,
                              const typename V::Scalar* weights, const V* v, std::size_t place, V* out) {
  V sums[R][P];
  const V* from[P];
  IRN_UNROLL
  for (std::size_t p = 0; p < P; ++p) {
    from[p] = v + phase.from[place + p];
    IRN_UNROLL
    for (std::size_t r = 0; r < R; ++r) sums[r][p] = out[r * route.target_plane + phase.to[place + p]];
  }
  const std::uint32_t* taps = phase.taps.data();
  const std::size_t count = phase.taps.size(), plane = route.bordered_plane();
  for (std::size_t s = 0, at = 0; s < route.sources; ++s, at += plane)
    for (std::size_t t = 0; t < count; ++t, weights += R) {
      V entries[P];
      IRN_UNROLL
      for (std::size_t p = 0; p < P; ++p) entries[p] = from[p][at + taps[t]];
      IRN_UNROLL
      for (std::size_t r = 0; r < R; ++r) {
        const V weight(weights[r]);
        IRN_UNROLL
        for (std::size_t p = 0; p < P; ++p) sums[r][p] = mul_add(weight, entries[p], sums[r][p]);
      }
    }
  IRN_UNROLL
  for (std::size_t r = 0; r < R; ++r) IRN_UNROLL
  for (std::size_t p = 0; p < P; ++p) out[r * route.target_plane + phase.to[place + p]] = sums[r][p];
}

// R channels, all places of a phase.
template <class V, std::size_t R>
IRN_INLINE void convolve_panel(const ConvolutionRoute& route, const ConvolutionRoute::Phase& phase,
                               const typename V::Scalar* weights, const V* v, V* out) {
  // There are 32 registers of 64 bytes instead of 16: room for more sums.
  constexpr std::size_t wide = sizeof(V) == 64 ? 2 * convolution_places : convolution_places;
  std::size_t place = 0;
  for (; place + wide <= phase.to.size(); place += wide)
    convolve_tile<V, R, wide>(route, phase, weights, v, place, out);
  for (; place + convolution_places <= phase.to.size(); place += convolution_places)
    convolve_tile<V, R, convolution_places>(route, phase, weights, v, place, out);
  for (; place < phase.to.size(); ++place) convolve_tile<V, R, 1>(route, phase, weights, v, place, out);
}

template <class V>
IRN_NOINLINE void add_convolution(const PackedConvolution<typename V::Scalar>& c, const V* v, V* out) {
  const ConvolutionRoute& route = c.route;
  v = with_border<V>(route, v);
  for (std::size_t p = 0; p < route.phases.size(); ++p) {
    const ConvolutionRoute::Phase& phase = route.phases[p];
    const typename V::Scalar* weights = c.weights[p].data();
    for (std::size_t g = 0; g < route.groups; ++g)
      for (std::size_t first = 0; first < route.targets; first += convolution_panel) {
        const std::size_t rows = std::min(convolution_panel, route.targets - first);
        const V* from = v + g * route.sources * route.bordered_plane();
        V* to = out + (g * route.targets + first) * route.target_plane;
        switch (rows) {
          case 4:
            convolve_panel<V, 4>(route, phase, weights, from, to);
            break;
          case 3:
            convolve_panel<V, 3>(route, phase, weights, from, to);
            break;
          case 2:
            convolve_panel<V, 2>(route, phase, weights, from, to);
            break;
          default:
            convolve_panel<V, 1>(route, phase, weights, from, to);
        }
        weights += rows * route.sources * phase.taps.size();
      }
  }
}

#define IRN_ADD_CONVOLUTION(V) \
  extern template void add_convolution<V>(const PackedConvolution<typename V::Scalar>&, const V*, V*);
IRN_FOR_LANES(IRN_ADD_CONVOLUTION)
#undef IRN_ADD_CONVOLUTION

IRN_LANES_END

#endif
