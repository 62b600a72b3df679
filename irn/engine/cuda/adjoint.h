// How the adjoint equations of a wide network are solved: by which kernel, and with which layout of the
// matrix.
#pragma once

#include <memory>

#include "irn/engine/cuda/runtime.h"
#include "irn/engine/cuda/training.h"

namespace irn::cuda {

struct AdjointGiven {
  std::size_t rows, neurons, count, slopes;
  float off_below, accuracy;
  OnFold on_fold;
  double amplification_limit;
};

// In the device's memory.
struct AdjointMemory {
  const float* a_transposed;  // entry (i, j) of A^T is at j * size + i
  const Activation* kinds;
  const int* slope_of;
  const float *states, *loss_slopes, *weights;  // weights may be null
  const Verdict* verdicts;
  float *deltas,
      *states_used;  // [sample][neuron]: D u times factor and weight, and z; zero if the sample is left out
  float* factors;    // one for each sample: factor times weight
  SampleGradient* found;
};

class AdjointWay {
 public:
  virtual ~AdjointWay() = default;
  virtual std::size_t rows() const = 0;  // neurons of a thread
  virtual std::size_t size() const = 0;  // neurons, padding included
  virtual void run(const AdjointGiven& given, const AdjointMemory& memory, cudaStream_t stream) const = 0;
};

std::unique_ptr<AdjointWay> adjoint_way(std::size_t neurons);

}  // namespace irn::cuda
