// The parts of `irn study convolution`. They read the same trainings.
#pragma once

#include "experiments/convolution/settings.h"
#include "experiments/part.h"

namespace irn::experiments {

using ConvolutionPart = PartOf<ConvolutionSettings>;

ConvolutionPart convolution_recurrence_part();  // what recurrent connections bring and cost: claims 1 to 8
ConvolutionPart convolution_robustness_part();  // images of a kind that training never saw: claims 9 to 12

}  // namespace irn::experiments
