// How much the answer of a network changes with its input, exactly, by the adjoint equation of each output k
// (g = e_k):
//   u = g + A^T D u,     dy_k/dx = B^T D u
// Also how much a gradient is amplified on its way back: |u| / |g| in the maximum norm, for the loss on the
// outputs for which it is largest. GradientOptions::amplification_limit bounds the same quantity for the
// actual loss.
//
// Inputs are those of the network: for a model, after its encoding has scaled them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "irn/network/network.h"

namespace irn {

struct Sensitivity {
  std::size_t outputs = 0, inputs = 0;
  std::vector<double> slopes;  // dy/dx, row-major [output][input]
  // The largest singular value of the slopes: the most that |y| changes if |x| changes by 1 (Euclidean).
  double norm = 0;
  std::size_t input = 0;     // the input whose column of slopes has the largest norm
  double amplification = 0;  // max over g of |u| / |g|; all infinite if I - D A is singular
};

// At equilibrium z of a network with input x. Uses dense matrices: throws irn::Error beyond
// dense_analysis_limit neurons.
template <class T>
Sensitivity sensitivity(const NetworkOf<T>& network, std::span<const T> x, std::span<const double> z);

}  // namespace irn
