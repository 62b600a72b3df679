// The reproduction of the paper: all parts with the protocol, as one campaign.
#pragma once

#include "experiments/campaign.h"
#include "irn/base/device.h"

namespace irn::experiments {

// Throws irn::Error for a protocol that makes no sense. A CUDA device takes the training runs that it has
// kernels for (oscillator_batch.h).
Campaign reproduction(const Protocol& protocol, Device device = Device::cpu);

}  // namespace irn::experiments
