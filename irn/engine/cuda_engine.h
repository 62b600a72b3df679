// The engine of a CUDA device: searches from start to finish run there (irn/engine/cuda/); the host's threads bring samples and take answers, so
// that copies and searches overlap, and do what little there is to do beside.
#pragma once

#include "irn/engine/cpu_engine.h"

namespace irn {

// The device's solvers of chunks. irn::Error if the device cannot be used.
template <class T>
std::unique_ptr<const ChunkSource<T>> cuda_source(Device device);

template <class T>
class CudaEngine final : public CpuEngine<T> {
 public:
  template <class Options>
  CudaEngine(Device device, const NetworkOf<T>& network, const Options& options, ThreadPool& threads)
      : CpuEngine<T>(network, options, threads, cuda_source<T>(device)), device_(device) {}
  Device device() const override { return device_; }

 private:
  Device device_;
};

}  // namespace irn
