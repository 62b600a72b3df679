// Inputs that are zero in every training sample, as a column with a single value is once it is scaled. Their weights
// never get a gradient. If they kept the random values that they start with, other values of such an input would
// change the answers at random; so they start at zero instead, and the input has no effect.
// Leaves blocks of B that are not dense alone: there an input has no weights of its own.
#pragma once

#include "irn/data/samples.h"
#include "irn/network/network.h"

namespace irn {

template <class T>
void clear_unseen_inputs(NetworkOf<T>& network, const Samples<T>& training);

}  // namespace irn
