// What training has on the processor only. Other devices refuse it before anything is computed or written.
#pragma once

#include "irn/train/trainer.h"

namespace irn {

// irn::Error if the options ask their device for something that it lacks.
void check_device(const TrainOptions& options);

}  // namespace irn
