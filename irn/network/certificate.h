// A proof that a network settles, whatever its input and wherever it starts.
//
// Let every slope of f lie in [0, s_i]. If, over the neurons of each loop (loops.h),
//   A + A^T < 2 S^-1,   S = diag(s_i),   or, which is the same,   lambda_max(X) < 1,   X = (S^1/2 A S^1/2 + transposed) / 2
// then z = f(A z + c) has exactly one equilibrium for every c, and the flow dz/dt = f(A z + c) - z reaches it from every start.
// Proof: docs/settling.md; Forti and Tesi (IEEE Trans. Circuits Syst. I 42 (1995) 354) prove more, with weights of the neurons.
// The inequality has only one side: neurons may inhibit each other, and turn around each other (A - A^T), as strongly as they like.
// With other slopes for each layer S weighs neurons; no other weights are tried.
#pragma once

#include "irn/network/loops.h"

namespace irn {

// X of one loop, row-major, loop.neurons x loop.neurons.
template <class T>
std::vector<double> symmetric_part(const NetworkOf<T>& network, const Loop& loop);

// The largest lambda_max(X) of a loop; minus infinity if there is none. Below 1 the network has a certificate. Of loops that are convolutions
// through and through it is an upper bound (convolution_loop.h).
template <class T>
double certificate_bound(const NetworkOf<T>& network);

// Whether lambda_max(X) < 1 is proven, rounding included: false may also mean that it is too close to tell.
template <class T>
bool is_certified(const NetworkOf<T>& network);
bool is_certified(const std::vector<double>& symmetric_part);

// Certificates of other loops need their matrix: at most so many neurons (128 MiB). The functions above throw irn::Error for larger ones.
inline constexpr std::size_t largest_certified_loop = 4096;
bool can_be_certified(const Architecture& architecture);

}  // namespace irn
