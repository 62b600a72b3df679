// Answers from several views of each image: the image itself, and changed copies, with the same changes for
// every image (AugmentedSamples). An answer is the mean of the views' class probabilities, or of their
// numbers.
// Every view has its own search and its own verdict. The answer has the worst of these verdicts, so that it
// is settled only if all views are. Its evaluations are the sum over the views; its residual is the largest.
#pragma once

#include "irn/engine/settler.h"
#include "irn/train/augmentation.h"

namespace irn {

struct Views {
  std::size_t count = 1;  // 1: the image alone
  Augmentation augmentation = {};
  ImageShape image = {};
};
// Throws irn::Error unless there are 1 to 1,000 views. More than one view needs images and an augmentation.
void check_views(const Views& views);

// Answers in the form of settle_outputs(). The first `classes` outputs are the logarithms of the mean
// probabilities, which softmax turns back into probabilities. If `classes` is 0, the answers are numbers.
template <class T>
Equilibria<T> settle_views(Settler<T>& settler, const Samples<T>& samples, const Views& views,
                           std::size_t classes);

}  // namespace irn
