// How far a network's dynamics are from provable contraction, whatever the input.
//
// The flow dz/dt = f(A z + B x + b) - z has the Jacobian D A - I, where D holds slopes d_i of f, each
// somewhere in [l_i, L_i]: [0, 1/4] for sigmoid, [0, 1] for tanh, relu and softplus, [1, 1] for identity. In
// the maximum norm two solutions approach each other at least like e^(mu t), with the logarithmic norm
//   mu(D A - I) = max_i (d_i a_ii + sum_{j != i} |d_i a_ij|) - 1 = max_i d_i s_i - 1
//   s_i = a_ii + sum_{j != i} |a_ij|
// A neuron that inhibits itself (a_ii < 0) helps. d_i s_i is largest at L_i if s_i > 0, else at l_i, so the
// flow contracts to one equilibrium from everywhere if
//   flow       max_i (s_i > 0 ? L_i : l_i) s_i  <  1
// Plain iteration z+ = F(z) contracts if |D A| < 1, and there inhibition does not help:
//   iteration  max_i L_i sum_j |a_ij|  <  1
//
// The sums run over those neurons j that neuron i feeds back to, directly or not; the others cannot prevent
// settling. The reason: layers that reach each other form groups (the strongly connected components of the
// graph of layers), and no path leads back into a group from later ones. With the groups in this order A is
// block triangular. In the weighted maximum norm |z| = max_i |z_i| / w_i the entry a_ij counts as a_ij w_j /
// w_i. With w = K^g in group g, entries within a group stay unchanged and entries from an earlier group
// shrink by 1/K or more: as K grows, both bounds approach the largest bound of a single group. So a forward
// read-out, or a forward layer before the recurrence, does not count, and its own bound is 0.
//
// Both bounds are sufficient and not necessary: trained networks are mostly far above them and still settle.
// A network without recurrence settles in one sweep. Uses neither samples nor A as a dense matrix.
#pragma once

#include <cstddef>
#include <vector>

#include "irn/network/network.h"

namespace irn {

struct ContractionBound {
  double bound = 0;
  std::size_t layer = 0;  // the layer with the largest bound; layers count from 1
  std::size_t row = 0;    // the neuron; neurons of a layer count from 0
  bool contracts() const { return bound < 1; }
};

struct LayerContraction {
  ContractionBound flow, iteration;
};

struct Contraction {
  ContractionBound flow, iteration;      // over all layers
  std::vector<LayerContraction> layers;  // of the rows of each layer
  bool recurrent = false;                // if false, one sweep is exact
};

template <class T>
Contraction contraction(const NetworkOf<T>& network);

}  // namespace irn
