// DeviceTraining on CUDA: buffers, copies and kernels of one caller's steps.
#pragma once

#include <memory>

#include "irn/engine/cuda/training.h"

namespace irn::cuda {

std::unique_ptr<DeviceTraining> made_training(const TrainingPlan& plan);

}  // namespace irn::cuda
