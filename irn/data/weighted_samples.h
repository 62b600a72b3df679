// Samples with new weights in place of their own.
#pragma once

#include <vector>

#include "irn/data/samples_over.h"

namespace irn {

template <class T>
class WeightedSamples : public SamplesOver<T> {
 public:
  // Borrows the samples; one weight for each. Throws irn::Error if a weight is negative or not finite.
  WeightedSamples(const Samples<T>& samples, std::vector<T> weights);

  std::uint64_t inputs_id() const override { return this->samples().inputs_id(); }
  void weights(std::span<const std::uint64_t> index, T* out) const override;

 private:
  std::vector<T> weights_;
};

extern template class WeightedSamples<float>;
extern template class WeightedSamples<double>;

}  // namespace irn
