// Penalties that keep a free network away from where equilibria vanish. Each is a function of one sample's
// state z, with D = f'(A z + B x + b) and the entries of A on loops only; n counts all neurons.
//   jacobian   |D A|^2 / n   (Bai, Koltun and Kolter, "Stabilizing equilibrium models by Jacobian
//              regularization", 2021, who estimate it by Hutchinson's method; here networks are small and it
//              is computed)
//   fold       log(|(I - D A)^-1|^2 / n): at a fold I - D A is singular, and 1 / |(I - D A)^-1| is less than
//              the distance to such a matrix
// A sample without an answer has no penalty. (Tried: |D A|^2 for these samples alone, at the end of their
// search. Their neurons are saturated, D is almost zero, and the penalty has no effect.)
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

  // Starts a batch with the present parameters.
  void start(const NetworkOf<T>& network);
  // The penalty at a state; adds `weight` times its derivatives by the state to `slopes`, and by A at a fixed
  // state to those of the batch.
  double add(std::span<const T> state, double weight, std::span<T> slopes);
  // Adds `factor` times the batch's derivatives by A to a gradient of all parameters.
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
