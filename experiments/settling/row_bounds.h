// Scales down rows of A over its loops until the flow contracts in the maximum norm (analysis/contraction.h):
//   L_i (a_ii + sum_{j != i} |a_ij|) <= bound < 1
// This set has another shape than the certificate's: it forbids the combined effect of many neurons,
// inhibition and rotation included.
#pragma once

#include "irn/network/network.h"

namespace irn::experiments {

// Returns whether a row was too large. For dense blocks.
template <class T>
bool bound_rows(NetworkOf<T>& network, double bound);

}  // namespace irn::experiments
