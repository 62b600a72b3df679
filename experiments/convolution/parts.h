// The parts of `irn study convolution`. They share the same trainings.
#pragma once

#include "experiments/convolution/settings.h"
#include "experiments/part.h"

namespace irn::experiments {

using ConvolutionPart = PartOf<ConvolutionSettings>;

ConvolutionPart convolution_recurrence_part();  // what recurrent connections gain and cost: claims 1 to 7
ConvolutionPart convolution_robustness_part();  // disturbed images, unlike any in training: claims 8 to 11

}  // namespace irn::experiments
