// Features of training that only the processor has. Other devices refuse them before anything is computed or
// written.
#pragma once

#include "irn/train/trainer.h"

namespace irn {

// Throws irn::Error if the options ask for something that their device lacks.
void check_device(const TrainOptions& options);

}  // namespace irn
