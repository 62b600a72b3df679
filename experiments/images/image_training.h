// One training of one network on images: Adam, rates along a cosine, gradients clipped, cross-entropy; the
// epoch that does best on the choosing rows is kept.
#pragma once

#include "experiments/images/disturbances.h"
#include "experiments/images/image_source.h"
#include "experiments/part.h"
#include "experiments/settling/method.h"
#include "irn/network/network.h"

namespace irn::experiments {

struct ImageTraining {
  std::size_t epochs = 1;
  double rate = 0.003;
  std::uint64_t seed = 1;  // of the order of rows and of disturbances
};

// right, settled: shares of the held-out rows (a row without an answer is wrong); lost: rows without an
// answer; evaluations: mean over the rows; parameters; disturbed: right, settled and lost for each
// disturbance in `asked`.
Json train_images(NetworkOf<float> network, const Method& method, const ImageRows& rows,
                  const ImageTraining& training, const std::vector<Disturbance>& asked, const Watch& watch);

}  // namespace irn::experiments
