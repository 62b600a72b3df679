// A relu neuron that the flow turns off comes to rest a little above zero, but slopes are read from values.
// With F_i = 0 the neuron is at rest where z_i <= tolerance * floor (rules.h). A neuron up to this bound is off and
// becomes exactly zero, however large other neurons are.
// The judge also allows for the rounding of the largest neuron (judge-inl.h). If that is above 5 (in float, at the
// default tolerance), a neuron that is off may come to rest above the bound; it then counts as on.
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
