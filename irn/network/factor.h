// What operators are made of (operator.h): a block's matrix is a product of factors, and products, gradients, tensors of a file and bounds follow from them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "irn/kernels/convolution.h"

namespace irn {

class OwnOperator;

// One factor of the product, the first to be applied first. Its numbers are a part of its block's.
struct Factor {
  enum class Kind : unsigned char { matrix, diagonal, convolution, own };
  Kind kind = Kind::matrix;
  std::size_t rows = 0, cols = 0;
  std::string name = {};              // of its tensor in a model file, behind the block's; may be empty
  const OwnOperator* own = nullptr;   // of Kind::own
  ConvolutionShape convolution = {};  // of Kind::convolution, C
  bool flipped = false;               // the factor is C^T
  double every_number = 0;            // of C, if not 0: then they are no parameters

  std::vector<std::size_t> shape()
      const;  // of its tensor: {rows, cols}, row-major, or that of the kernel, or {numbers}
  std::size_t parameters() const;
};

}  // namespace irn
