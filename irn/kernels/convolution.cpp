#include "irn/kernels/convolution.h"

#include <algorithm>

namespace irn {
namespace {

using Signed = std::ptrdiff_t;

// One axis of a route: the entries of the source that a place of the target reads.
//   C            place y reads y s + k d - p
//   transposed   place y, a multiple of s after its phase, reads (y + p - k d) / s if that is a whole number
struct Axis {
  std::size_t source, target, kernel, stride, dilation, padding;
  bool transposed;

  std::size_t phases() const { return transposed ? stride : 1; }
  // In the source, from one place of a phase to the next.
  std::size_t step() const { return transposed ? 1 : stride; }
  std::size_t places(std::size_t phase) const {
    return phase >= target ? 0 : (target - phase + phases() - 1) / phases();
  }
  bool sees(std::size_t phase, std::size_t k) const {
    return !transposed || (phase + padding + stride * dilation * kernel - k * dilation) % stride == 0;
  }
  // The entry that the phase's first place reads.
  Signed offset(std::size_t phase, std::size_t k) const {
    const Signed at = transposed ? Signed(phase) + Signed(padding) - Signed(k * dilation)
                                 : Signed(k * dilation) - Signed(padding);
    return transposed ? at / Signed(stride) : at;  // no remainder if sees() holds
  }
  // The border before the source, and the extent with both borders, so that every place can read its taps.
  void border(std::size_t& before, std::size_t& extent) const {
    Signed lowest = 0, highest = Signed(source) - 1;
    for (std::size_t phase = 0; phase < phases(); ++phase)
      for (std::size_t k = 0; k < kernel; ++k) {
        if (!sees(phase, k) || places(phase) == 0) continue;
        lowest = std::min(lowest, offset(phase, k));
        highest = std::max(highest, offset(phase, k) + Signed((places(phase) - 1) * step()));
      }
    before = std::size_t(-lowest);
    extent = std::size_t(highest - lowest + 1);
  }
};

}  // namespace

ConvolutionRoute::ConvolutionRoute(const ConvolutionShape& c, bool transposed)
    : groups(c.groups),
      sources(transposed ? c.group_outputs() : c.group_inputs()),
      targets(transposed ? c.group_inputs() : c.group_outputs()),
      height(transposed ? c.out_height : c.in_height),
      width(transposed ? c.out_width : c.in_width),
      target_plane(transposed ? c.in_plane() : c.out_plane()),
      target_stride(transposed ? c.taps() : c.numbers_a_channel()),
      source_stride(transposed ? c.numbers_a_channel() : c.taps()),
      group_stride(c.group_outputs() * c.numbers_a_channel()) {
  const std::size_t target_height = transposed ? c.in_height : c.out_height,
                    target_width = transposed ? c.in_width : c.out_width;
  const Axis down{height, target_height, c.kernel_height, c.stride, c.dilation, c.padding_height, transposed};
  const Axis across{width, target_width, c.kernel_width, c.stride, c.dilation, c.padding_width, transposed};
  down.border(top, bordered_height), across.border(left, bordered_width);
  for (std::size_t py = 0; py < down.phases(); ++py)
    for (std::size_t px = 0; px < across.phases(); ++px) {
      Phase phase;
      for (std::size_t y = 0; y < down.places(py); ++y)
        for (std::size_t x = 0; x < across.places(px); ++x) {
          phase.from.push_back(std::uint32_t(y * down.step() * bordered_width + x * across.step()));
          phase.to.push_back(
              std::uint32_t((py + y * down.phases()) * target_width + px + x * across.phases()));
        }
      for (std::size_t k = 0; k < c.kernel_height; ++k)
        for (std::size_t l = 0; l < c.kernel_width; ++l) {
          if (!down.sees(py, k) || !across.sees(px, l)) continue;
          const std::size_t row = std::size_t(Signed(top) + down.offset(py, k)),
                            column = std::size_t(Signed(left) + across.offset(px, l));
          phase.taps.push_back(std::uint32_t(row * bordered_width + column));
          phase.numbers.push_back(std::uint32_t(k * c.kernel_width + l));
        }
      if (!phase.to.empty()) phases.push_back(std::move(phase));
    }
}

template <class T>
PackedConvolution<T>::PackedConvolution(ConvolutionRoute taken) : route(std::move(taken)) {
  for (const auto& phase : route.phases)
    weights.emplace_back(route.groups * route.targets * route.sources * phase.taps.size());
}

template <class T>
void PackedConvolution<T>::pack(const T* numbers) {
  for (std::size_t p = 0; p < route.phases.size(); ++p) {
    T* to = weights[p].data();
    for (std::size_t g = 0; g < route.groups; ++g)
      for (std::size_t first = 0; first < route.targets; first += convolution_panel)
        for (std::size_t s = 0; s < route.sources; ++s)
          for (const std::uint32_t tap : route.phases[p].numbers)
            for (std::size_t t = first; t < std::min(first + convolution_panel, route.targets); ++t)
              *to++ =
                  numbers[g * route.group_stride + t * route.target_stride + s * route.source_stride + tap];
  }
}

template struct PackedConvolution<float>;
template struct PackedConvolution<double>;

}  // namespace irn
