// The entry point of the part for CUDA, and what it finds on this machine.
#include "irn/engine/cuda/module.h"

#include <cstring>

#include "irn/base/version.h"
#include "irn/engine/cuda/kept_inputs.h"
#include "irn/engine/cuda/made_training.h"
#include "irn/engine/cuda/search.h"

namespace irn::cuda {
namespace {

constexpr unsigned oldest_major = 8;  // sm_80, the oldest for which the kernels are compiled

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

DeviceFacts facts_of(int number) {
  cudaDeviceProp properties;
  const cudaError_t status = cudaGetDeviceProperties(&properties, number);
  if (status != cudaSuccess)
    return {.name = "device " + std::to_string(number), .trouble = cudaGetErrorString(status)};
  DeviceFacts facts{.name = properties.name,
                    .memory = properties.totalGlobalMem,
                    .major = static_cast<unsigned>(properties.major),
                    .minor = static_cast<unsigned>(properties.minor),
                    .processors = static_cast<unsigned>(properties.multiProcessorCount)};
  if (facts.major < oldest_major) facts.trouble = "too old; irn needs sm_80 (Ampere) or later";
  return facts;
}

class CudaModule final : public Module {
 public:
  MachineFacts machine() const override {
    MachineFacts facts;
    int driver = 0, runtime = 0, count = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    facts.driver = version_text(driver), facts.runtime = version_text(runtime);
    if (driver == 0) {
      facts.trouble = "there is no CUDA driver on this machine";
      return facts;
    }
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaErrorInsufficientDriver)
      facts.trouble = "the CUDA driver, " + facts.driver + ", is too old for CUDA " + facts.runtime;
    else if (status != cudaSuccess)
      facts.trouble = std::string("there is no CUDA device on this machine: ") + cudaGetErrorString(status);
    for (int number = 0; status == cudaSuccess && number < count; ++number)
      facts.devices.push_back(facts_of(number));
    return facts;
  }
  DeviceLimits limits(unsigned device) const override { return measured_limits(device); }
  std::unique_ptr<DeviceSearch<float>> search_in_float(const SearchPlan& plan) const override {
    return make_search<float>(plan);
  }
  std::unique_ptr<DeviceSearch<double>> search_in_double(const SearchPlan& plan) const override {
    return make_search<double>(plan);
  }
  std::unique_ptr<KeptInputs<float>> kept_in_float(unsigned device, std::size_t samples,
                                                   std::size_t inputs) const override {
    return kept_inputs<float>(device, samples, inputs);
  }
  std::unique_ptr<KeptInputs<double>> kept_in_double(unsigned device, std::size_t samples,
                                                     std::size_t inputs) const override {
    return kept_inputs<double>(device, samples, inputs);
  }
  std::unique_ptr<DeviceTraining> training(const TrainingPlan& plan) const override {
    return made_training(plan);
  }
  std::unique_ptr<Replicas> replicas(const ReplicaPlan& plan) const override { return made_replicas(plan); }
};

}  // namespace
}  // namespace irn::cuda

extern "C" __attribute__((visibility("default"))) const irn::cuda::Module* irn_cuda_module(
    const char* version) {
  static const irn::cuda::CudaModule module;
  return std::strcmp(version, IRN_VERSION) == 0 ? &module : nullptr;
}
