// Products by a plan (product_plan.h) in kernels of their own, for drives B x + b and for layers outside of
// every search.
#pragma once

#include <memory>

#include "irn/engine/cuda/product_plan.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {

// Adds the products of `count` vectors to `out`. Strides are distances from sample to sample.
struct ProductOrder {
  const float *weights, *vectors;
  std::size_t vector_stride;
  float* out;
  std::size_t out_stride, count;
};

// The product of a plan that adds. For one stream at a time.
class LaunchedProduct {
 public:
  virtual ~LaunchedProduct() = default;
  virtual void add(const ProductOrder& order, cudaStream_t stream) const = 0;
};

// For `capacity` samples at most.
std::unique_ptr<LaunchedProduct> launched_product(std::shared_ptr<const ProductPlan> plan,
                                                  std::size_t capacity);

// out[sample][padded] = bias, and zero beyond the last neuron.
void write_bias(const float* bias, std::size_t neurons, std::size_t padded, std::size_t count, float* out,
                cudaStream_t stream);

}  // namespace irn::cuda
