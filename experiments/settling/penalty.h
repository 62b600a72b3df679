// What a free network is asked for beside its loss, so that it keeps away from where equilibria vanish. All are of one sample's state z, with
// D = f'(A z + B x + b) and entries of A on loops only; n counts all neurons.
//   jacobian   |D A|^2 / n   (Bai, Koltun and Kolter, "Stabilizing equilibrium models by Jacobian regularization", 2021, who estimate it by
//              Hutchinson's method; here networks are small and it is computed)
//   fold       log(|(I - D A)^-1|^2 / n): at a fold I - D A is singular, and 1 / |(I - D A)^-1| is less than the distance to such a matrix
// A sample without an answer is asked nothing. (Tried: |D A|^2 of these alone, where their search ended. Neurons are saturated there, D is next
// to nothing, and nothing comes of it.)
#pragma once

#include <span>
#include <vector>

#include "irn/network/network.h"

namespace irn::experiments {

enum class Penalty : unsigned char { none, jacobian, fold };

// For dense blocks.
template <class T>
class PenaltyOf {
 public:
  PenaltyOf(const Architecture& architecture, Penalty kind);

  // A new batch, with the parameters of now.
  void start(const NetworkOf<T>& network);
  // The penalty at a state; adds `weight` times its derivatives by the state to `slopes`, and by A at a fixed state to those of the batch.
  double add(std::span<const T> state, double weight, std::span<T> slopes);
  // The latter, times `factor`, into a gradient of all parameters.
  void add_explicit(double factor, std::span<T> gradient) const;

 private:
  double jacobian(double weight);
  double fold(double weight);

  const Architecture* architecture_;
  Penalty kind_;
  std::size_t neurons_;
  std::vector<Activation> functions_;  // of each neuron
  std::vector<std::size_t> blocks_;    // on loops
  std::vector<double> a_, by_a_;       // row-major: A over its loops; the batch's derivatives
  std::vector<double> d_, by_d_;       // of the sample
};

extern template class PenaltyOf<float>;
extern template class PenaltyOf<double>;

}  // namespace irn::experiments
