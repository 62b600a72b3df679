// Samples with noise on their inputs, different noise in every epoch. A network that must give the same
// answer all around each sample does not fit the accidents of a small table (Bishop: "Training with noise is
// equivalent to Tikhonov regularization", 1995).
//   x + noise sqrt(12) (u - 1/2),   u uniform on [0, 1): standard deviation `noise`
// The noise of input k of sample i in epoch e is a pure function of (seed, e, i, k). Only the inputs change.
#pragma once

#include <cstdint>
#include <vector>

#include "irn/data/samples_over.h"

namespace irn {

// For a table, whose inputs vary by about 1: more noise would leave nothing of them.
inline constexpr double most_noise = 100;

template <class T>
class NoisySamples : public SamplesOver<T> {
 public:
  // Borrows the samples.
  NoisySamples(const Samples<T>& samples, double noise, std::uint64_t seed)
      : SamplesOver<T>(samples), noise_(noise), seed_(seed) {}

  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }

  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override;
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override;
  std::uint64_t inputs_id() const override { return noise_ == 0 ? this->samples().inputs_id() : 0; }

 private:
  void add_noise(std::uint64_t sample, T* out, std::size_t stride) const;

  double noise_;
  std::uint64_t seed_, epoch_ = 0;
};

extern template class NoisySamples<float>;
extern template class NoisySamples<double>;

}  // namespace irn
