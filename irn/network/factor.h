// The parts of operators (operator.h): a block's matrix is a product of factors. Products with states,
// gradients, tensors of a file and bounds follow from the factors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "irn/kernels/convolution.h"

namespace irn {

class OwnOperator;

// One factor of the product. The first factor is applied first. Its numbers are a part of those of its block.
struct Factor {
  enum class Kind : unsigned char { matrix, diagonal, convolution, own };
  Kind kind = Kind::matrix;
  std::size_t rows = 0, cols = 0;
  std::string name = {};              // of its tensor in a model file, after the block's name; may be empty
  const OwnOperator* own = nullptr;   // of Kind::own
  ConvolutionShape convolution = {};  // of Kind::convolution, C
  bool flipped = false;               // the factor is C^T
  double every_number = 0;            // if not 0: the value of all numbers of C, which are then no parameters

  // Of its tensor: {rows, cols}, row-major, or that of the kernel, or {numbers}.
  std::vector<std::size_t> shape() const;
  std::size_t parameters() const;
};

}  // namespace irn
