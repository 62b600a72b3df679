// How much the answer of a network changes with its input, exactly, by the adjoint equation of each output k (g = e_k):
//   u = g + A^T D u,     dy_k/dx = B^T D u
// and how much a gradient is amplified on its way back: |u| / |g| in the maximum norm, for the loss on the outputs for which that is largest.
// GradientOptions::amplification_limit is a bound of the same quantity, for the loss at hand.
//
// Inputs are those of the network: of a model, after its encoding has scaled them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "irn/network/network.h"

namespace irn {

struct Sensitivity {
  std::size_t outputs = 0, inputs = 0;
  std::vector<double> slopes;  // dy/dx, row-major [output][input]
  double norm = 0;  // its largest singular value: the most that |y| changes for |x| changing by 1 (Euclidean)
  std::size_t input = 0;     // the one with the largest slopes, as the norm of its column
  double amplification = 0;  // max over g of |u| / |g|; all infinite where I - D A is singular
};

// At equilibrium z of a network with input x. Dense: throws irn::Error beyond dense_analysis_limit neurons.
template <class T>
Sensitivity sensitivity(const NetworkOf<T>& network, std::span<const T> x, std::span<const double> z);

}  // namespace irn
