// A lateral block that is certified for all values of its numbers (network/certificate.h): the
// parametrisation of monotone operator equilibrium networks (Winston and Kolter, 2020):
//   W = (bound I - P^T P + Q - Q^T) / s,   s the largest slope of f, 0 < bound < 1
// Its symmetric part is at most bound / s, and every matrix with such a symmetric part has this form. The
// numbers are P, then Q, row-major.
#pragma once

#include "irn/network/network.h"
#include "irn/network/operator.h"

namespace irn::experiments {

Operator monotone_operator(Activation f, double bound);

// P = sqrt(bound) I and Q = 0 in all such blocks of the network, so that W is zero, as recurrent blocks
// start.
template <class T>
void start_monotone(NetworkOf<T>& network, double bound);

}  // namespace irn::experiments
