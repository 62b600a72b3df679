// Whether samples fit a network.
#pragma once

#include <span>
#include <string>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
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

// A certificate holds for gates from 0 to 1, and one kept with dropout for gates up to 1 / (1 - dropout): throws
// irn::Error for others.
template <class T>
void check_certified_gates(std::span<const T> gates, double largest) {
  for (const T gate : gates)
    if (!(gate >= 0 && double(gate) <= largest * (1 + 1e-6)))
      throw Error("a gate of " + write_value(gate) +
                  ": the network's certificate holds for gates from 0 to " + write_value(largest) +
                  "; keep gates within that, or do without the certificate");
}

// The same as check_gates, and throws unless the samples have the network's inputs.
template <class T>
void check_inputs(const Samples<T>& samples, const Architecture& architecture) {
  check_gates(samples, architecture);
  if (samples.inputs() == architecture.inputs()) return;
  throw Error("the samples have " + std::to_string(samples.inputs()) + " inputs, network " +
              to_text(architecture) + " takes " + std::to_string(architecture.inputs()));
}

}  // namespace irn
