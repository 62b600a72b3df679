// The parts that train on the oscillator task.
#pragma once

#include "experiments/oscillator_training.h"
#include "experiments/part.h"

namespace irn::experiments {

Part oscillator_part();  // learning curves: claims 6 and 7
Part sweep_part();       // over hidden size and parameters: claims 8 and 9
Part solvers_part();     // the paper's RK4 x 30 against the default
Part readings_part();    // the two readings of the batch size

// The training runs of these parts.
std::vector<OscillatorRun> curve_runs(const Protocol& protocol);
std::vector<OscillatorRun> sweep_runs(const Protocol& protocol);
std::vector<OscillatorRun> comparison_runs(const Protocol& protocol);

}  // namespace irn::experiments
