// Weight normalisation: the weights w that lead to a neuron, or make up a filter, are learnt as a length and
// a direction,
//   w = g v,   |v| = 1        dL/dg = v . dL/dw,   dL/dv = g (dL/dw - v dL/dg)
// (Salimans, Kingma: "Weight normalization", 2016; there v keeps the length that the steps give it, here its
// length is 1 again after each step). An optimiser's rate then turns a direction by the same angle whether
// the weights are large or small. The network itself keeps w, so its certificate and its file do not change,
// and each sample has its own equilibrium, whatever else is in the batch.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace irn {

class Architecture;

// Consecutive rows of weights among a network's parameters: `rows` rows of `size` numbers, from parameter
// `first` on.
struct WeightRows {
  std::size_t first = 0, rows = 0, size = 0;
};
// The rows of all tensors with two axes or more, along the first axis: a matrix's rows, a kernel's out
// channels.
std::vector<WeightRows> weight_rows(const Architecture& architecture);

// Parameters and gradients in the form in which they are learnt: each row is replaced by its v, and a g for
// each row is appended. All else is unchanged, and so is a row without a direction, w = 0.
template <class T>
class NormalisedWeights {
 public:
  NormalisedWeights(std::vector<WeightRows> rows, std::size_t parameters);

  std::size_t lengths() const { return lengths_; }  // one g for each row
  // Afterwards learnt() and gradient() have `parameters` + lengths() numbers.
  void split(std::span<const T> parameters, std::span<const T> gradient);
  std::span<T> learnt() { return learnt_; }
  std::span<const T> gradient() const { return gradient_; }
  // Fills `parameters` from learnt(), after a step. Rows that would leave the range of T keep their values;
  // returns whether there are none.
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
