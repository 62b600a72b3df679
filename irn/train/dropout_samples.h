// Samples that leave some neurons out of the search, different ones in every epoch (Srivastava et al.:
// "Dropout: a simple way to prevent neural networks from overfitting", 2014):
//   m_i = 0 with probability `dropout`, else 1 / (1 - dropout);   z = f(A (m z) + B x + b)
// A sample keeps one mask for its whole search and its gradient, so the result is an equilibrium of a
// slightly smaller network. A mask is a pure function of the seed, the epoch, the sample and the neuron.
// Neurons of the last layer stay. Gates that the samples already have are multiplied by the mask; everything
// else is left alone.
#pragma once

#include <cstdint>

#include "irn/data/samples_over.h"
#include "irn/network/architecture.h"

namespace irn {

// Throws irn::Error unless 0 <= dropout < 1.
void check_dropout(double dropout);

template <class T>
class DropoutSamples : public SamplesOver<T> {
 public:
  // Borrows the samples. Throws irn::Error if they have gates, but not one a neuron.
  DropoutSamples(const Samples<T>& samples, const Architecture& architecture, double dropout,
                 std::uint64_t seed);

  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }

  std::uint64_t inputs_id() const override { return this->samples().inputs_id(); }
  std::size_t gates() const override { return dropout_ == 0 ? SamplesOver<T>::gates() : neurons_; }
  void gates_as_rows(std::span<const std::uint64_t> index, T* out) const override;

 private:
  std::size_t neurons_, hidden_;  // all; those of the layers before the last
  double dropout_;
  std::uint64_t seed_, epoch_ = 0;
};

extern template class DropoutSamples<float>;
extern template class DropoutSamples<double>;

}  // namespace irn
