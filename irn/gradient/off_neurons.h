// Sets relu neurons that are off to exactly zero. A neuron that the flow turns off comes to rest a little
// above zero, but slopes are computed from values. With F_i = 0 it is at rest if z_i <= tolerance * floor
// (rules.h). A neuron up to this bound is off, however large other neurons are.
// The judge also allows for the rounding of the largest neuron (judge-inl.h). If the largest neuron is above
// 5 (in float, at the default tolerance), a neuron that is off may come to rest above the bound; it then
// counts as on.
#pragma once

#include "irn/base/threads.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/network/architecture.h"

namespace irn {

// Changes only samples that have settled. Leaves networks without recurrence alone: there a sweep is exact.
template <class T>
void turn_off_neurons(const Architecture& architecture, double bound, Equilibria<T>& found,
                      ThreadPool& threads);

}  // namespace irn
