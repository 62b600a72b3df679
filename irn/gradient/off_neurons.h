// A relu neuron that the flow turns off comes to rest a little above zero, and slopes are read from values: what lies within the
// tolerance of zero is off, and becomes exactly zero.
#pragma once

#include "irn/base/threads.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/network/architecture.h"

namespace irn {

// Of the samples that have settled. Leaves networks without recurrence alone: there a sweep is exact.
template <class T>
void turn_off_neurons(const Architecture& architecture, double tolerance, Equilibria<T>& found,
                      ThreadPool& threads);

}  // namespace irn
