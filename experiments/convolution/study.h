// `irn study convolution`: recurrent connections between the filters of convolutional layers, at equal
// parameters.
#pragma once

#include "experiments/studies.h"

namespace irn::experiments {

Study convolution_study();

}  // namespace irn::experiments
