// The parts of `irn study settling`.
#pragma once

#include "experiments/part.h"
#include "experiments/settling/settings.h"

namespace irn::experiments {

using SettlingPart = PartOf<SettlingSettings>;

SettlingPart held_tables_part();      // every method on the generated tables: claims 1 to 8
SettlingPart held_solvers_part();     // whether all solvers find the same state: claims 9 and 10
SettlingPart held_oscillator_part();  // the paper's oscillator: claims 11 to 13
SettlingPart held_sweep_part();       // the oscillator over its hidden size: claims 14 to 16
SettlingPart held_xor_part();         // the paper's XOR: claims 17 and 18

}  // namespace irn::experiments
