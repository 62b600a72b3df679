// The numbers of the learning curves.
#pragma once

#include "experiments/oscillator_training.h"

namespace irn::experiments {

OscillatorRun curve_run(const Protocol& protocol, NetworkKind kind);

// values[point][repeat] of one quantity of one kind of network; missing values are NaN.
using Values = std::vector<std::vector<double>>;
// Over the epochs, and over the tests during training. `place` is the path of a test's quantity in its
// result: "/paper_solver/settled".
Values train_values(const Protocol& p, const Results& results, NetworkKind kind, const char* field);
Values test_values(const Protocol& p, const Results& results, NetworkKind kind, const std::string& place);

}  // namespace irn::experiments
