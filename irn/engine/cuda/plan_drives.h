// Drives B x + b by a plan (product_plan.h).
#pragma once

#include <memory>

#include "irn/engine/cuda/product_plan.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {

// Inputs [sample][width], drives [sample][padded], of which those beyond the last neuron are zero.
struct DriveOrder {
  const float *inputs, *weights, *bias;
  std::size_t width, neurons, padded, count;
  float* drives;
};

// For one stream at a time.
class PlanDrives {
 public:
  virtual ~PlanDrives() = default;
  virtual void run(const DriveOrder& order, cudaStream_t stream) const = 0;
};

std::unique_ptr<PlanDrives> plan_drives(std::shared_ptr<const ProductPlan> plan, std::size_t capacity);

}  // namespace irn::cuda
