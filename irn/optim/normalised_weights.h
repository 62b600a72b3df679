// Weight normalisation: the weights w that lead to a neuron, or make a filter, are learnt as a length and a direction,
//   w = g v,   |v| = 1        dL/dg = v . dL/dw,   dL/dv = g (dL/dw - v dL/dg)
// (Salimans, Kingma: "Weight normalization", 2016; there v keeps the length that steps give it, here it is 1 again after each.) An optimiser's rate
// then turns a direction by as much whether the weights are large or small. The network keeps w: what it is, its certificate and its file do not
// change, and each sample has its own equilibrium, whatever else is in the batch.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace irn {

class Architecture;

// Rows of weights among a network's parameters: `rows` of them one after the other from `first` on, each of `size`.
struct WeightRows {
  std::size_t first = 0, rows = 0, size = 0;
};
// Of all tensors with two axes or more, along the first: a matrix's rows, a kernel's out channels.
std::vector<WeightRows> weight_rows(const Architecture& architecture);

// Parameters and gradients in the form in which they are learnt: as they are, but rows are v, and behind all of them stands a g for each row. A row
// without a direction, w = 0, is learnt as it is.
template <class T>
class NormalisedWeights {
 public:
  NormalisedWeights(std::vector<WeightRows> rows, std::size_t parameters);

  std::size_t lengths() const { return lengths_; }  // g: as many as there are rows
  // Both are of `parameters` + lengths() numbers afterwards.
  void split(std::span<const T> parameters, std::span<const T> gradient);
  std::span<T> learnt() { return learnt_; }
  std::span<const T> gradient() const { return gradient_; }
  // From learnt(), after a step. Rows that would leave the range of T keep their values; tells whether there is none.
  bool join(std::span<T> parameters);

 private:
  template <class Visit>
  bool for_each_row(const Visit& visit) const;

  std::vector<WeightRows> rows_;
  std::size_t parameters_, lengths_ = 0;
  std::vector<T> learnt_, gradient_;
};

extern template class NormalisedWeights<float>;
extern template class NormalisedWeights<double>;

}  // namespace irn
