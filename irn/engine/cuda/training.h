// Training steps of wide networks on a CUDA device: adjoint, sums, optimiser. Parameters and moments stay
// there from step to step; the host brings samples and loss slopes, and learns what became of them. Plain
// C++: a part of module.h.
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

// A dense block of A or B: its place there, and its numbers in the parameter vector.
struct DenseBlock {
  std::size_t row, rows, col, cols, weights;
  bool from_input;
};

inline constexpr std::size_t most_blocks = 32;

struct TrainingPlan {
  unsigned device = 0;
  std::size_t inputs = 0;
  std::vector<Activation> neurons;  // one for each neuron
  std::vector<DenseBlock> blocks;
  std::size_t biases = 0, parameters = 0, moments = 2;  // moments: numbers kept for each parameter
  std::vector<int> slope_of;  // for each neuron: which of a sample's loss slopes; -1: none
  std::size_t slopes = 0;     // for each sample
  double off_below = 0;       // the bound below which relu neurons are off (turn_off_neurons)
  double accuracy = 0;        // of the adjoint (adjoint_accuracy)
  OnFold on_fold = OnFold::leave_out;
  double amplification_limit = 0;
  // Plans of products with A, B and A^T, for blocks of one factor each; if null, products use matrices of
  // dense blocks. With plans, bias_of is the parameter of each neuron's bias. a_whole, b_whole: without
  // pieces, for the gradient.
  std::shared_ptr<const ProductPlan> a = nullptr, b = nullptr, a_transposed = nullptr, a_whole = nullptr,
                                     b_whole = nullptr;
  std::shared_ptr<const StagedPlans> stages_transposed = nullptr;  // of A^T, if only the core is searched
  std::vector<int> bias_of = {};
};

// Samples in a device's memory, from a search that has just ended there.
struct SamplesOnDevice {
  const float *inputs = nullptr, *states = nullptr;
};
// A network's numbers on a device, as read by a search of a wide network.
struct NumbersOnDevice {
  const float *a = nullptr, *b = nullptr,
              *bias = nullptr;  // a: entry (i, j) is at j * size + i, or weights of a plan
  std::size_t size = 0;
  bool by_plan = false;
};

// A batch as its search left it; slopes [sample][slopes]; weights one for each sample, or null. If the
// samples are on the device, the host's states and inputs are not read.
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
  double norm = 0;        // of the gradient, before clipping
  std::size_t used = 0;   // samples in it
  bool finite = true;     // whether the gradient is
  bool usable = true;     // whether its squares are finite, too: otherwise nothing was changed
  bool overflow = false;  // some parameters would have left the range of numbers, and kept their values
};

// For one caller at a time. Throws irn::Error, in one line, for everything that CUDA refuses.
class DeviceTraining {
 public:
  virtual ~DeviceTraining() = default;
  virtual NumbersOnDevice numbers() const = 0;
  virtual void upload(const float* parameters) = 0;
  virtual void download(float* parameters) = 0;
  virtual void upload_moments(const float* first, const float* second) = 0;  // second may be null
  virtual void download_moments(float* first, float* second) = 0;
  virtual void fetch(const float* there, std::size_t count,
                     float* here) const = 0;  // copies any numbers from the device
  // Computes the gradient of a batch, clips it to the norm `clip` (0: not), and makes a step; `out`: one for
  // each sample.
  virtual StepFacts advance(const TrainingBatch& batch, double clip, const StepRule& rule,
                            SampleGradient* out) = 0;
};

}  // namespace irn::cuda
