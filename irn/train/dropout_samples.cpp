#include "irn/train/dropout_samples.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "irn/base/error.h"
#include "irn/base/random.h"
#include "irn/network/check_inputs.h"

namespace irn {
namespace {

// A stream of the seed for each epoch, separate from those of other uses (noisy_samples.cpp,
// augmented_samples.cpp).
constexpr std::uint64_t first_stream = std::uint64_t{1} << 46;

}  // namespace

void check_dropout(double dropout) {
  if (!(dropout >= 0 && dropout < 1)) throw Error("dropout is a share of the neurons: 0 to below 1");
}

template <class T>
DropoutSamples<T>::DropoutSamples(const Samples<T>& samples, const Architecture& architecture, double dropout,
                                  std::uint64_t seed)
    : SamplesOver<T>(samples),
      neurons_(architecture.neurons()),
      hidden_(architecture.first_neuron(architecture.layers().size())),
      dropout_(dropout),
      seed_(seed) {
  check_dropout(dropout);
  check_gates(samples, architecture);
}

template <class T>
void DropoutSamples<T>::gates_as_rows(std::span<const std::uint64_t> index, T* out) const {
  if (dropout_ == 0) return SamplesOver<T>::gates_as_rows(index, out);
  const Stream stream(seed_, first_stream + epoch_);
  const std::size_t blocks = (hidden_ + 3) / 4;
  const T kept = static_cast<T>(1 / (1 - dropout_));
  for (std::size_t s = 0; s < index.size(); ++s) {
    T* mask = out + s * neurons_;
    for (std::size_t i = 0; i < hidden_; i += 4) {
      const std::array<std::uint32_t, 4> bits = stream.block(index[s] * blocks + i / 4);
      for (std::size_t k = i; k < i + 4 && k < hidden_; ++k)
        mask[k] = double(bits[k % 4]) * 0x1p-32 < dropout_ ? T(0) : kept;
    }
    std::fill(mask + hidden_, mask + neurons_, T(1));
  }
  if (SamplesOver<T>::gates() == 0) return;
  std::vector<T> others(index.size() * neurons_);
  SamplesOver<T>::gates_as_rows(index, others.data());
  std::transform(others.begin(), others.end(), out, out, std::multiplies<>());
}

template class DropoutSamples<float>;
template class DropoutSamples<double>;

}  // namespace irn
