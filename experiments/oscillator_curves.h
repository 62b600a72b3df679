// The learning curves as numbers.
#pragma once

#include "experiments/oscillator_training.h"

namespace irn::experiments {

OscillatorRun curve_run(const Protocol& protocol, NetworkKind kind);

// values[point][repeat] of one quantity of one kind; what is missing is not a number.
using Values = std::vector<std::vector<double>>;
// Over epochs, and over the tests during training; a test's quantity is given by its place in the result: "/paper_solver/settled".
Values train_values(const Protocol& p, const Results& results, NetworkKind kind, const char* field);
Values test_values(const Protocol& p, const Results& results, NetworkKind kind, const std::string& place);

}  // namespace irn::experiments
