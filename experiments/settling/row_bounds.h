// Rows of A over its loops, scaled down so that the flow contracts in the maximum norm (analysis/contraction.h):
//   L_i (a_ii + sum_{j != i} |a_ij|) <= bound < 1
// A set of another shape than the certificate's: it forbids what many neurons say together, inhibition and turning included.
#pragma once

#include "irn/network/network.h"

namespace irn::experiments {

// Says whether a row was too large. For dense blocks.
template <class T>
bool bound_rows(NetworkOf<T>& network, double bound);

}  // namespace irn::experiments
