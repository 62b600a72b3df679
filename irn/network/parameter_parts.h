// The parameter vector of a network as the named tensors of a model file.
#pragma once

#include <string>
#include <vector>

#include "irn/network/architecture.h"

namespace irn {

// A tensor, row-major, and the place of its numbers in the parameter vector.
struct ParameterPart {
  std::string name;  // "layer1.input", "layer1.layer2.left", "layer1.bias"
  std::vector<std::size_t> shape;
  std::size_t first = 0, count = 0;
};

// The factors of all blocks in their order, then a bias for each layer.
std::vector<ParameterPart> parameter_parts(const Architecture& architecture);

}  // namespace irn
