// A proof that a network settles for every input and from every start.
//
// Let the slopes of neuron i lie in [0, s_i], and S = diag(s_i). If, over the neurons of each loop (loops.h),
//   A + A^T < 2 S^-1   or, equivalently,   lambda_max(X) < 1,   X = (S^1/2 A S^1/2 + transposed) / 2
// then z = f(A z + c) has exactly one equilibrium for every c, and the flow dz/dt = f(A z + c) - z reaches it
// from every start. Proof: docs/settling.md; Forti and Tesi (IEEE Trans. Circuits Syst. I 42 (1995) 354)
// prove more, with weights of the neurons.
// The inequality is one-sided: neurons may inhibit each other, and rotate around each other (A - A^T), with
// any strength. If layers have different slopes, S weights their neurons; no other weights are tried.
#pragma once

#include "irn/network/loops.h"

namespace irn {

// X of one loop, row-major, loop.neurons x loop.neurons.
template <class T>
std::vector<double> symmetric_part(const NetworkOf<T>& network, const Loop& loop);

// The largest lambda_max(X) of any loop; minus infinity if there is no loop. If it is below 1, the network
// has a certificate. For loops made only of convolutions it is an upper bound (convolution_loop.h).
template <class T>
double certificate_bound(const NetworkOf<T>& network);

// Whether lambda_max(X) < 1 is proven, rounding included. False may also mean that it is too close to tell.
template <class T>
bool is_certified(const NetworkOf<T>& network);
bool is_certified(const std::vector<double>& symmetric_part);

// Certificates of all other loops need their matrix: at most this many neurons (128 MiB). The functions above
// throw irn::Error for larger loops.
inline constexpr std::size_t largest_certified_loop = 4096;
bool can_be_certified(const Architecture& architecture);

}  // namespace irn
