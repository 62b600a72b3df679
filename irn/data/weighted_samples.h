// Samples that count for more or less: a weight each, in place of those they had.
#pragma once

#include <vector>

#include "irn/data/samples.h"

namespace irn {

template <class T>
class WeightedSamples : public Samples<T> {
 public:
  // Borrows the samples; `weights` are one a sample. Throws irn::Error for one that is negative or not finite.
  WeightedSamples(const Samples<T>& samples, std::vector<T> weights);

  std::size_t size() const override { return samples_->size(); }
  std::size_t inputs() const override { return samples_->inputs(); }
  std::size_t targets() const override { return samples_->targets(); }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override {
    samples_->inputs_as_lanes(index, width, out);
  }
  void expect(std::span<const std::uint64_t> index) const override { samples_->expect(index); }
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override {
    samples_->inputs_as_rows(index, out);
  }
  std::uint64_t inputs_id() const override { return samples_->inputs_id(); }
  void targets_as_rows(std::span<const std::uint64_t> index, T* out) const override {
    samples_->targets_as_rows(index, out);
  }
  void weights(std::span<const std::uint64_t> index, T* out) const override;

 private:
  const Samples<T>* samples_;
  std::vector<T> weights_;
};

extern template class WeightedSamples<float>;
extern template class WeightedSamples<double>;

}  // namespace irn
