// Weights of classes from text: "balanced", or "NAME=WEIGHT" for some of the classes and 1 for the others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "irn/data/encoding.h"
#include "irn/train/class_weights.h"

namespace irn {

// The samples with the weights of their classes; nullptr if none are asked for. Throws irn::Error for unknown
// classes, and if the targets are numbers.
template <class T>
std::unique_ptr<ClassWeighted<T>> class_weighting(const Samples<T>& samples, const Encoding& encoding,
                                                  const std::vector<std::string>& wanted);

}  // namespace irn
