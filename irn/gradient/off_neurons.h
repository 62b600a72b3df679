// A relu neuron that the flow turns off comes to rest a little above zero, but slopes are read from values.
// With F_i = 0 the neuron is at rest where z_i <= tolerance * floor (rules.h). A neuron below this bound is
// off and becomes exactly zero, however large other neurons are.
#pragma once

#include "irn/base/threads.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/network/architecture.h"

namespace irn {

// Does so for the samples that have settled. Leaves networks without recurrence alone: there a sweep is
// exact.
template <class T>
void turn_off_neurons(const Architecture& architecture, double bound, Equilibria<T>& found,
                      ThreadPool& threads);

}  // namespace irn
