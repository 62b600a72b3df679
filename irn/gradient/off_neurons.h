// A relu neuron that the flow turns off comes to rest a little above zero, and slopes are read from values. With
// F_i = 0 it is at rest where z_i <= tolerance * floor (rules.h): a value up to this bound is off, and becomes exactly
// zero, however large other neurons are.
// Beside a neuron so large that the judge allows for its rounding (judge-inl.h: from 5 on in float, at the default
// tolerance), a neuron that is off may come to rest above the bound and then counts as on.
#pragma once

#include "irn/base/threads.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/network/architecture.h"

namespace irn {

// Of the samples that have settled. Leaves networks without recurrence alone: there a sweep is exact.
template <class T>
void turn_off_neurons(const Architecture& architecture, double bound, Equilibria<T>& found,
                      ThreadPool& threads);

}  // namespace irn
