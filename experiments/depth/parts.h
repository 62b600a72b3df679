// The parts of `irn study depth`.
#pragma once

#include "experiments/depth/settings.h"
#include "experiments/part.h"

namespace irn::experiments {

using DepthPart = PartOf<DepthSettings>;

DepthPart depth_oscillator_part();  // claims 1 to 7
DepthPart depth_images_part();      // claims 8 to 14

}  // namespace irn::experiments
