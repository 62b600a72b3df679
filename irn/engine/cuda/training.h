// Training steps of wide networks on a CUDA device: adjoint, sums, optimiser. Parameters and moments live there from step to step; the host brings
// samples and loss slopes, and hears what became of them. Plain C++: a part of module.h.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "irn/engine/cuda/product_plan.h"
#include "irn/equilibrium/outcome.h"
#include "irn/gradient/gradient.h"
#include "irn/network/activation.h"
#include "irn/optim/optimiser.h"

namespace irn::cuda {

// A dense block of A or B: where it lies there, and its numbers in the parameter vector.
struct DenseBlock {
  std::size_t row, rows, col, cols, weights;
  bool from_input;
};

inline constexpr std::size_t most_blocks = 32;

struct TrainingPlan {
  unsigned device = 0;
  std::size_t inputs = 0;
  std::vector<Activation> neurons;  // one each
  std::vector<DenseBlock> blocks;
  std::size_t biases = 0, parameters = 0, moments = 2;  // moments: numbers kept of a parameter
  std::vector<int> slope_of;  // of each neuron: which of a sample's loss slopes; -1: none
  std::size_t slopes = 0;     // a sample
  double off_below = 0;       // where relu neurons are off (turn_off_neurons)
  double accuracy = 0;        // of the adjoint (adjoint_accuracy)
  OnFold on_fold = OnFold::leave_out;
  double amplification_limit = 0;
  // Products with A, B and A^T block by block, of blocks of one factor each; none: by matrices, of dense blocks. Then bias_of: which parameter each neuron's bias is.
  // a_whole, b_whole: without pieces, for the gradient.
  std::shared_ptr<const ProductPlan> a = nullptr, b = nullptr, a_transposed = nullptr, a_whole = nullptr,
                                     b_whole = nullptr;
  std::shared_ptr<const StagedPlans> stages_transposed =
      nullptr;  // of A^T, if the core alone is to be searched
  std::vector<int> bias_of = {};
};

// Samples in a device's memory, from a search that has just ended there.
struct SamplesOnDevice {
  const float *inputs = nullptr, *states = nullptr;
};
// A network's numbers there, as a search of a wide network reads them.
struct NumbersOnDevice {
  const float *a = nullptr, *b = nullptr,
              *bias = nullptr;  // a: entry (i, j) at j * size + i, or weights of a plan
  std::size_t size = 0;
  bool by_plan = false;
};

// A batch as its search left it; slopes [sample][slopes], weights one a sample or none. Where the samples are on the device, states and inputs of the
// host are not read.
struct TrainingBatch {
  std::size_t count = 0;
  const float *states = nullptr, *inputs = nullptr;
  SamplesOnDevice there = {};
  const Verdict* verdicts = nullptr;
  const float *slopes = nullptr, *weights = nullptr;
};

struct SampleGradient {
  double amplification, products;
  GradientOutcome outcome;
};
struct StepFacts {
  double norm = 0;        // of the gradient, before it is clipped
  std::size_t used = 0;   // samples in it
  bool finite = true;     // the gradient
  bool usable = true;     // and its squares: else nothing was changed
  bool overflow = false;  // some parameters would have left the range of numbers, and kept their value
};

// For one caller at a time. Throws irn::Error, in one line, for whatever CUDA refuses.
class DeviceTraining {
 public:
  virtual ~DeviceTraining() = default;
  virtual NumbersOnDevice numbers() const = 0;
  virtual void upload(const float* parameters) = 0;
  virtual void download(float* parameters) = 0;
  virtual void upload_moments(const float* first, const float* second) = 0;  // second: if there is one
  virtual void download_moments(float* first, float* second) = 0;
  virtual void fetch(const float* there, std::size_t count,
                     float* here) const = 0;  // any numbers of the device's
  // The gradient of a batch, clipped to a norm (0: not), and a step with it; `out`: one a sample.
  virtual StepFacts advance(const TrainingBatch& batch, double clip, const StepRule& rule,
                            SampleGradient* out) = 0;
};

}  // namespace irn::cuda
