// Whether samples fit a network.
#pragma once

#include <string>

#include "irn/base/error.h"
#include "irn/data/samples.h"
#include "irn/network/architecture.h"

namespace irn {

// Throws irn::Error unless the samples have the network's inputs.
template <class T>
void check_inputs(const Samples<T>& samples, const Architecture& architecture) {
  if (samples.inputs() == architecture.inputs()) return;
  throw Error("the samples have " + std::to_string(samples.inputs()) + " inputs, network " +
              to_text(architecture) + " takes " + std::to_string(architecture.inputs()));
}

}  // namespace irn
