// Training runs on the oscillator task that a CUDA device makes all at once, as replicas (irn/engine/cuda/replicas.h): those with solver auto, of the sizes
// that it has kernels for. Samples, starts, rules and results are those of train_oscillator(); numbers are rounded otherwise, so that single runs end
// elsewhere. Of runs without a curve nothing is kept of the epochs.
#pragma once

#include "experiments/part.h"
#include "irn/base/device.h"

namespace irn::experiments {

// Of the parts of the reproduction.
DeviceBatch oscillator_batch(const Protocol& protocol, Device device);

}  // namespace irn::experiments
