// Samples weighted by class: the weight of each is multiplied by that of its class. A sample's class is the
// position of its largest target.
//   balanced   sum of all weights / (number of classes that have samples * sum of the class's weights): all
//              classes count alike, and the sum stays the same
// These are weights of samples, so they act on everything that uses samples: the loss, the gradient, scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "irn/data/weighted_samples.h"

namespace irn {

// Which targets are the classes. If count is 0, these are all from `first` on.
struct ClassTargets {
  std::size_t first = 0, count = 0;
};

// One weight for each class; 1 for a class without samples.
template <class T>
std::vector<double> balanced_class_weights(const Samples<T>& samples, ClassTargets targets = {});

template <class T>
class ClassWeighted : public WeightedSamples<T> {
 public:
  // Borrows the samples. The classes are targets first_target, first_target + 1, ..., one for each weight.
  // Reads the targets of all samples. Throws irn::Error for weights that are negative or not finite, and for
  // more weights than targets.
  ClassWeighted(const Samples<T>& samples, const std::vector<double>& class_weights,
                std::size_t first_target = 0);
};

extern template class ClassWeighted<float>;
extern template class ClassWeighted<double>;

}  // namespace irn
