// A network with its inputs as problems z = F(z) of the general kind (irn/equilibrium/problem.h), in double:
//   F_i(z) = f(A z + B x_i + b),   J = D A,   D = f' where f has the value F_i(z)
// All functions of irn/analysis for a Problem work on a network through this. The slopes are those at F(z),
// not at z: a relu neuron that the flow turns off approaches zero from above, and still has no slope.
//
// Has the whole Jacobian up to `dense_analysis_limit` neurons, and products with it at every size.
#pragma once

#include <span>
#include <vector>

#include "irn/equilibrium/problem.h"
#include "irn/network/network.h"

namespace irn {

// Up to this size, analysis that needs matrices of a sample (all eigenvalues, singular values, factors) uses
// dense ones.
inline constexpr std::size_t dense_analysis_limit = 256;

// `inputs` is row-major, one problem for each row. Copies what it needs: the network may change or be
// destroyed. Throws irn::Error unless the rows are whole.
template <class T>
Problem network_problem(const NetworkOf<T>& network, std::span<const T> inputs);

// Bounds of each unknown of an equilibrium: [0, 1] for sigmoid neurons, [-1, 1] for tanh, from 0 upwards for
// relu and softplus, infinite for identity.
struct StateBox {
  std::vector<double> low, high;
};
StateBox state_box(const Architecture& architecture);

}  // namespace irn
