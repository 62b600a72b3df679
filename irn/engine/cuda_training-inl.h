// Training of wide networks on a CUDA device, seen from the host: parameters and moments stay there from step to step (irn/engine/cuda/training.h).
// Exact gradients in single precision that are found by products, of blocks of one factor each, all of them dense in networks that have a matrix there; the others are trained by the
// processor, with searches there.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "irn/engine/cuda/training.h"
#include "irn/engine/engine.h"
#include "irn/engine/kept_samples-inl.h"

namespace irn {

// What the searches of an engine and its training know of each other.
struct CudaLink {
  const cuda::DeviceTraining* training = nullptr;  // whose numbers searches read; none: those they are given
  // Of the last pass forward: how often samples were searched for, and where the last of them are.
  std::atomic<std::size_t> searches = 0;
  std::size_t samples = 0;
  cuda::SamplesOnDevice last = {};
  std::uint64_t pass = 0;

  void begin() { searches = 0, samples = 0, pass = 0; }
  void note(std::size_t count, const cuda::SamplesOnDevice& where) {
    if (++searches == 1) samples = count, last = where;
  }
  // Where the samples of this pass are, if one search had them all, and nothing was searched for a second time.
  cuda::SamplesOnDevice where(const Forward<float>& forward) const {
    return forward.pass == pass && searches == 1 && samples == forward.size() ? last
                                                                              : cuda::SamplesOnDevice{};
  }
};

class CudaTraining {
 public:
  static bool takes(const Architecture& architecture, const GradientOptions& options);
  CudaTraining(Device device, const Architecture& architecture, const GradientOptions& options,
               double tolerance, CudaLink& link);

  bool begun() const { return there_ != nullptr; }
  void upload(const NetworkOf<float>& network);
  StepDone advance(const StepOrder<float>& order, OptimiserOf<float>& optimiser,
                   const NetworkOf<float>& network);
  void bring_parameters(NetworkOf<float>& network);
  void bring_back(OptimiserOf<float>& optimiser, NetworkOf<float>& network);
  const NetworkOf<float>& network();                                // as it is there
  Forward<float> with_inputs(const Forward<float>& forward) const;  // brought back, if they stayed there

 private:
  void list_blocks(const Architecture& architecture);
  void plan_products(const Architecture& architecture);
  void begin(const OptimiserOf<float>& optimiser, const NetworkOf<float>& network);

  cuda::TrainingPlan plan_;
  CudaLink& link_;
  std::shared_ptr<KeptSamples<float>> kept_;  // makes room
  std::unique_ptr<cuda::DeviceTraining> there_;
  std::optional<NetworkOf<float>> copy_;
  std::optional<std::uint64_t> moments_;  // OptimiserOf::revision() of those that are there
  bool parameters_ahead_ = false, moments_ahead_ = false;
  std::vector<cuda::SampleGradient> found_;
};

}  // namespace irn
