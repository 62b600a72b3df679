// `irn study settling`: ways to train networks that keep settling, side by side.
#pragma once

#include "experiments/studies.h"

namespace irn::experiments {

Study settling_study();

}  // namespace irn::experiments
