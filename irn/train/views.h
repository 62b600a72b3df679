// Answers from several views of each image: the image itself and so many changes of it, the same for every image (AugmentedSamples). Of classes the
// probabilities are averaged, of numbers the outputs.
// Every view is a search of its own with a verdict of its own. An answer is settled only if all its views are: its verdict is that of
// the view that came off worst. Evaluations are those of all views, the residual is the largest.
#pragma once

#include "irn/engine/settler.h"
#include "irn/train/augmentation.h"

namespace irn {

struct Views {
  std::size_t count = 1;  // 1: the image alone
  Augmentation augmentation = {};
  ImageShape image = {};
};
// irn::Error unless there are 1 to 1,000 and, of more than one, images and some change of them.
void check_views(const Views& views);

// As settle_outputs() has them; of classes, the first `classes` outputs are logarithms of the mean probabilities, of which softmax makes those again. 0
// classes: numbers.
template <class T>
Equilibria<T> settle_views(Settler<T>& settler, const Samples<T>& samples, const Views& views,
                           std::size_t classes);

}  // namespace irn
