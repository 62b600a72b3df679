#include "irn/data/weighted_samples.h"

#include <numeric>
#include <string>
#include <utility>

#include "irn/base/error.h"

namespace irn {

template <class T>
WeightedSamples<T>::WeightedSamples(const Samples<T>& samples, std::vector<T> weights)
    : SamplesOver<T>(samples), weights_(std::move(weights)) {
  if (weights_.size() != samples.size())
    throw Error("there are " + std::to_string(weights_.size()) + " weights for " +
                std::to_string(samples.size()) + " samples");
  std::vector<std::uint64_t> all(weights_.size());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  check_weights<T>(all, weights_);
}

template <class T>
void WeightedSamples<T>::weights(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, weights_.size());
  for (const std::uint64_t i : index) *out++ = weights_[i];
}

template class WeightedSamples<float>;
template class WeightedSamples<double>;

}  // namespace irn
