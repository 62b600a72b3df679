// A network's numbers while it is trained on a device: how its matrices are stored, and how adjoints and
// gradients use them. Either as matrices (training_kernels-inl.h), or block by block by plans
// (product_plan.h).
#pragma once

#include <memory>

#include "irn/engine/cuda/adjoint.h"

namespace irn::cuda {

// What the kernels of a step pass on to each other.
struct StepState {
  double share;  // 1 / the sum of the weights used
  double norm;
  float scale;  // the factor of clipping
  unsigned used, finite, usable, overflow;
};

// A batch: deltas and states [sample][neuron], zero for a sample that is left out, whose factor is zero, too.
// `state` has the gradient's share.
struct SumOrder {
  const float *deltas, *states, *inputs, *factors;
  unsigned count;
  const StepState* state;
  float* gradient;
};

// For one stream at a time.
class TrainedNumbers {
 public:
  virtual ~TrainedNumbers() = default;
  virtual NumbersOnDevice numbers() const = 0;
  virtual const AdjointWay& adjoint() const = 0;
  virtual const float* transposed() const = 0;  // A^T in the adjoint's layout
  virtual void arrange(const float* parameters, cudaStream_t stream) const = 0;  // after they have changed
  virtual void sum(const SumOrder& order, cudaStream_t stream) const = 0;  // the gradient of all parameters
};

std::unique_ptr<TrainedNumbers> trained_matrices(const TrainingPlan& plan);
std::unique_ptr<TrainedNumbers> trained_by_plan(const TrainingPlan& plan);

}  // namespace irn::cuda
