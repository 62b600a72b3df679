// Training of wide networks on a CUDA device, seen from the host: parameters and moments stay on the device
// from step to step (irn/engine/cuda/training.h). It takes exact gradients in single precision that are found
// by products, for blocks of one factor each; networks that have a matrix on the device must have dense
// blocks only. All others are trained by the processor, with searches on the device.
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
  // The training whose numbers the searches read; if null, they read the numbers uploaded to them.
  const cuda::DeviceTraining* training = nullptr;
  // For the last forward pass: how many searches it made, and where the samples of the first one are.
  std::atomic<std::size_t> searches = 0;
  std::size_t samples = 0;
  cuda::SamplesOnDevice last = {};
  std::uint64_t pass = 0;

  void begin() { searches = 0, samples = 0, pass = 0; }
  void note(std::size_t count, const cuda::SamplesOnDevice& where) {
    if (++searches == 1) samples = count, last = where;
  }
  // Where the samples of this pass are, if a single search had them all.
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
  const NetworkOf<float>& network();  // with the parameters on the device
  // The inputs are copied back if they stayed on the device.
  Forward<float> with_inputs(const Forward<float>& forward) const;

 private:
  void list_blocks(const Architecture& architecture);
  void plan_products(const Architecture& architecture);
  void begin(const OptimiserOf<float>& optimiser, const NetworkOf<float>& network);

  cuda::TrainingPlan plan_;
  CudaLink& link_;
  std::shared_ptr<KeptSamples<float>> kept_;  // makes room
  std::unique_ptr<cuda::DeviceTraining> there_;
  std::optional<NetworkOf<float>> copy_;
  std::optional<std::uint64_t> moments_;  // OptimiserOf::revision() of the moments on the device
  bool parameters_ahead_ = false, moments_ahead_ = false;
  std::vector<cuda::SampleGradient> found_;
};

}  // namespace irn
