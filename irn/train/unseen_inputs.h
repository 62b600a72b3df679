// Inputs that are zero in every training sample, as a column with a single value is after scaling. Their
// weights never get a gradient. If they kept their random initial values, other values of such an input would
// change the answers at random. So they start at zero instead, and the input has no effect.
// Only dense blocks of B are changed: in others an input has no weights of its own.
#pragma once

#include "irn/data/samples.h"
#include "irn/network/network.h"

namespace irn {

template <class T>
void clear_unseen_inputs(NetworkOf<T>& network, const Samples<T>& training);

}  // namespace irn
