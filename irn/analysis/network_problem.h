// A network with its inputs as problems z = F(z) of the general kind (irn/equilibrium/problem.h), in double:
//   F_i(z) = f(A z + B x_i + b),   J = D A,   D = f' where f has the value F_i(z)
// Everything of irn/analysis that works on a Problem works on a network through this. The slopes are those at F(z), not at z: a relu neuron
// that the flow turns off approaches zero from above, and has no slope all the same.
//
// Has the whole Jacobian up to `dense_analysis_limit` neurons, and products with it at every size.
#pragma once

#include <span>
#include <vector>

#include "irn/equilibrium/problem.h"
#include "irn/network/network.h"

namespace irn {

// Up to here what needs matrices of a sample (all eigenvalues, singular values, factors) is computed with dense ones.
inline constexpr std::size_t dense_analysis_limit = 256;

// `inputs` row-major, one problem a row. Copies what it needs: the network may change or go. Throws irn::Error unless the rows are whole.
template <class T>
Problem network_problem(const NetworkOf<T>& network, std::span<const T> inputs);

// Between which values each unknown of an equilibrium lies: [0, 1] of a sigmoid neuron, [-1, 1] of tanh, from 0 upwards of relu and
// softplus, anything of identity (infinite where there is no bound).
struct StateBox {
  std::vector<double> low, high;
};
StateBox state_box(const Architecture& architecture);

}  // namespace irn
