// The parts of a search over a network's core outside the core (network/stages.h): the layers before it,
// which become a part of its drives, and the layers behind it.
#pragma once

#include "irn/engine/cuda/product_plan.h"
#include "irn/engine/cuda/runtime.h"
#include "irn/equilibrium/outcome.h"
#include "irn/network/activation.h"

namespace irn::cuda {

// Of the whole network: vectors [sample][neuron], in the device's memory.
struct StagedOrder {
  const float* weights;     // of A
  const Activation* kinds;  // of all neurons
  float* drives;            // B x + b; contributions of layers outside the core are added
  const float* starts;      // or null
  float* states;
  Verdict* verdicts;
  std::size_t count;  // of samples
};
// Of the core: drives [sample][size], with zeros beyond the last neuron, starts and states [sample][neuron].
struct CoreVectors {
  const float *drives, *starts;
  float* states;
};

// For one stream at a time.
class StagedSearch {
 public:
  virtual ~StagedSearch() = default;
  virtual CoreVectors before(const StagedOrder& order, cudaStream_t stream) const = 0;
  // Call it after the search has written the core's states and the verdicts.
  virtual void behind(const StagedOrder& order, cudaStream_t stream) const = 0;
};

// size: of the core, padding included.
std::unique_ptr<StagedSearch> staged_search(const StagedPlans& plans, std::size_t neurons, std::size_t size,
                                            std::size_t capacity);

}  // namespace irn::cuda
