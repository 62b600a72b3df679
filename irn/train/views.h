// Answers from several views of each image: the image itself, and changes of it that are the same for every
// image (AugmentedSamples). An answer is the mean of the views' probabilities of classes, or of their
// numbers.
// Every view has its own search and its own verdict. The verdict of the answer is the worst of these, so that
// it is settled only if all views are. Its evaluations are the sum over the views; its residual is the
// largest.
#pragma once

#include "irn/engine/settler.h"
#include "irn/train/augmentation.h"

namespace irn {

struct Views {
  std::size_t count = 1;  // 1: the image alone
  Augmentation augmentation = {};
  ImageShape image = {};
};
// Throws irn::Error unless there are 1 to 1,000 views; more than one need images and an augmentation.
void check_views(const Views& views);

// Answers like those of settle_outputs(). The first `classes` outputs are logarithms of the mean
// probabilities, which softmax turns into these again. 0 classes: numbers.
template <class T>
Equilibria<T> settle_views(Settler<T>& settler, const Samples<T>& samples, const Views& views,
                           std::size_t classes);

}  // namespace irn
