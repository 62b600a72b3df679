// Classes that count for more or less than their number: the weight of every sample times that of its class, which is where the
// largest of its targets stands.
//   balanced   sum of all weights / (classes there are * sum of the class's weights): all classes count alike, the sum stays
// A class is weighed through its samples, and so everything that looks at samples sees it: the loss, the gradient, scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "irn/data/weighted_samples.h"

namespace irn {

// Where the classes are among the targets; count 0: to the last.
struct ClassTargets {
  std::size_t first = 0, count = 0;
};

// One a class; 1 for a class without samples.
template <class T>
std::vector<double> balanced_class_weights(const Samples<T>& samples, ClassTargets targets = {});

template <class T>
class ClassWeighted : public WeightedSamples<T> {
 public:
  // Borrows the samples. The classes are targets first_target, first_target + 1, ..., one for each weight. Looks at the targets
  // of all samples. Throws irn::Error for weights that are negative or not finite, and for more than there are targets.
  ClassWeighted(const Samples<T>& samples, const std::vector<double>& class_weights,
                std::size_t first_target = 0);
};

extern template class ClassWeighted<float>;
extern template class ClassWeighted<double>;

}  // namespace irn
