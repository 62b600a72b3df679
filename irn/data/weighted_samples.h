// Samples with other weights than those they had, so that they count for more or less.
#pragma once

#include <vector>

#include "irn/data/samples_over.h"

namespace irn {

template <class T>
class WeightedSamples : public SamplesOver<T> {
 public:
  // Borrows the samples; `weights` are one a sample. Throws irn::Error for one that is negative or not finite.
  WeightedSamples(const Samples<T>& samples, std::vector<T> weights);

  std::uint64_t inputs_id() const override { return this->samples().inputs_id(); }
  void weights(std::span<const std::uint64_t> index, T* out) const override;

 private:
  std::vector<T> weights_;
};

extern template class WeightedSamples<float>;
extern template class WeightedSamples<double>;

}  // namespace irn
