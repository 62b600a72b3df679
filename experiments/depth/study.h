// `irn study depth`: recurrent networks of 1 to 6 hidden layers compared with feed-forward ones, at equal
// parameters.
#pragma once

#include "experiments/studies.h"

namespace irn::experiments {

Study depth_study();

}  // namespace irn::experiments
