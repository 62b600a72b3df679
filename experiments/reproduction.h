// The paper, reproduced: all its parts with the protocol, as one campaign.
#pragma once

#include "experiments/campaign.h"

namespace irn::experiments {

// Throws irn::Error for a protocol that makes no sense.
Campaign reproduction(const Protocol& protocol);

}  // namespace irn::experiments
