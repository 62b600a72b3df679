// `irn study settling`: a comparison of ways to train networks that keep settling.
#pragma once

#include "experiments/studies.h"

namespace irn::experiments {

Study settling_study();

}  // namespace irn::experiments
