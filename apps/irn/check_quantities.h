// The one list of the quantities that irn check summarises over the samples.
#pragma once

#include <array>

#include "irn/analysis/check.h"

namespace irn::app {

struct Quantity {
  const char *key, *words;  // in JSON, and for people
  Spread CheckSummary::* spread;
};
inline constexpr std::array quantities = {
    Quantity{"residual", "residual", &CheckSummary::residual},
    Quantity{"distance", "distance to the limit", &CheckSummary::distance},
    Quantity{"evaluations", "evaluations", &CheckSummary::evaluations},
    Quantity{"abscissa", "rightmost eigenvalue", &CheckSummary::abscissa},
    Quantity{"time_constant", "time constant", &CheckSummary::time_constant},
    Quantity{"frequency", "turns a unit of time", &CheckSummary::frequency},
    Quantity{"singular_value", "smallest singular value", &CheckSummary::singular},
    Quantity{"sensitivity", "sensitivity", &CheckSummary::sensitivity},
    Quantity{"amplification", "gradient's amplification", &CheckSummary::amplification},
};

}  // namespace irn::app
