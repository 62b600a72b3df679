// Training runs on the oscillator task that a CUDA device makes all at once, as replicas
// (irn/engine/cuda/replicas.h): those with solver auto, of the sizes that have kernels. Samples, starts,
// rules and results are those of train_oscillator(); rounding differs, so that single runs end differently.
// Runs without a curve keep no results of epochs.
#pragma once

#include "experiments/part.h"
#include "irn/base/device.h"

namespace irn::experiments {

// For the parts of the reproduction.
DeviceBatch oscillator_batch(const Protocol& protocol, Device device);

}  // namespace irn::experiments
