// Whether samples fit a network.
#pragma once

#include <string>

#include "irn/base/error.h"
#include "irn/data/samples.h"
#include "irn/network/architecture.h"

namespace irn {

// Throws irn::Error unless the samples have no gates, or one for each neuron.
template <class T>
void check_gates(const Samples<T>& samples, const Architecture& architecture) {
  if (samples.gates() != 0 && samples.gates() != architecture.neurons())
    throw Error("the samples have " + std::to_string(samples.gates()) + " gates, network " +
                to_text(architecture) + " has " + std::to_string(architecture.neurons()) + " neurons");
}

// The same, and throws irn::Error unless the samples have as many inputs as the network.
template <class T>
void check_inputs(const Samples<T>& samples, const Architecture& architecture) {
  check_gates(samples, architecture);
  if (samples.inputs() == architecture.inputs()) return;
  throw Error("the samples have " + std::to_string(samples.inputs()) + " inputs, network " +
              to_text(architecture) + " takes " + std::to_string(architecture.inputs()));
}

}  // namespace irn
