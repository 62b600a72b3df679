#include "irn/train/noisy_samples.h"

#include "irn/base/random.h"

namespace irn {
namespace {

// A stream of the seed for each epoch, separate from those of the weights (low), the order of the samples
// (2^32) and the rows held out (2^48).
constexpr std::uint64_t first_stream = std::uint64_t{1} << 40;
constexpr double sqrt12 = 3.4641016151377544;

}  // namespace

template <class T>
void NoisySamples<T>::add_noise(std::uint64_t sample, T* out, std::size_t stride) const {
  if (noise_ == 0) return;
  const Stream stream(seed_, first_stream + epoch_);
  const std::size_t count = this->inputs(), blocks = (count + 3) / 4;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::array<std::uint32_t, 4> bits = stream.block(sample * blocks + b);
    for (std::size_t k = 4 * b; k < 4 * b + 4 && k < count; ++k)
      out[k * stride] += static_cast<T>(noise_ * sqrt12 * ((double(bits[k % 4]) + 0.5) * 0x1p-32 - 0.5));
  }
}

template <class T>
void NoisySamples<T>::inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const {
  SamplesOver<T>::inputs_as_lanes(index, width, out);
  for (std::size_t lane = 0; lane < index.size(); ++lane) add_noise(index[lane], out + lane, width);
}

template <class T>
void NoisySamples<T>::inputs_as_rows(std::span<const std::uint64_t> index, T* out) const {
  SamplesOver<T>::inputs_as_rows(index, out);
  for (std::size_t row = 0; row < index.size(); ++row) add_noise(index[row], out + row * this->inputs(), 1);
}

template class NoisySamples<float>;
template class NoisySamples<double>;

}  // namespace irn
