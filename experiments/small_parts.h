// The parts whose networks have a few neurons: the single neuron, XOR, the iterated network, the plain
// iteration, and the closed forms.
#pragma once

#include <span>
#include <vector>

#include "experiments/part.h"

namespace irn::experiments {

Part neuron_part();
Part xor_part();
Part iterated_part();
Part iteration_part();
Part closed_forms_part();

// The values of a stored array; null stands for a value that is not finite and is read as NaN.
std::vector<double> numbers(const Json& array);
double number(const Json& value);

// The element at the given share (0 to 1) of the sorted values; those that are not finite count as largest.
double quantile(std::vector<double> values, double share);

}  // namespace irn::experiments
