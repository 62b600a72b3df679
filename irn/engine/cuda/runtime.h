// CUDA's runtime with owners and exceptions, for the sources that nvcc compiles.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "irn/base/memory.h"

namespace irn::cuda {

struct OutOfMemory : MemoryError {
  using MemoryError::MemoryError;
};

inline void checked(cudaError_t status) {
  if (status == cudaSuccess) return;
  // Otherwise a tolerated failure to allocate would be reported for the next kernel.
  cudaGetLastError();
  if (status == cudaErrorMemoryAllocation)
    throw OutOfMemory("the CUDA device is out of memory; take smaller batches, or the cpu");
  throw Error(std::string("the CUDA device failed: ") + cudaGetErrorString(status));
}

inline void use(unsigned device) { checked(cudaSetDevice(static_cast<int>(device))); }

// An attribute of the device in use.
inline std::size_t attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  checked(cudaGetDevice(&device));
  checked(cudaDeviceGetAttribute(&value, which, device));
  return static_cast<std::size_t>(value);
}

// Lets a kernel use all of a block's shared memory. The value is the same for every launch, since callers on
// other threads may launch the kernel, too.
template <class Kernel>
void allow_shared(Kernel* kernel) {
  cudaFuncAttributes facts;
  checked(cudaFuncGetAttributes(&facts, kernel));
  const std::size_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - facts.sharedSizeBytes;
  checked(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)));
}

// A kernel's blocks and their threads, and the bytes of shared memory of a block beside what the kernel
// declares.
struct Launch {
  dim3 blocks, threads;
  cudaStream_t stream;
  std::size_t shared = 0;
  bool together = false;  // all blocks must be on the device at the same time
  unsigned cluster = 0;   // this many blocks are, and reach each other's shared memory
};
class LaunchConfig {
 public:
  explicit LaunchConfig(const Launch& how) {
    config_.gridDim = how.blocks, config_.blockDim = how.threads;
    config_.dynamicSmemBytes = how.shared, config_.stream = how.stream;
    config_.attrs = attributes_;
    if (how.together) add(cudaLaunchAttributeCooperative).cooperative = 1;
    if (how.cluster > 0) {
      auto& cluster = add(cudaLaunchAttributeClusterDimension).clusterDim;
      cluster.x = how.cluster, cluster.y = cluster.z = 1;
    }
  }
  LaunchConfig(const LaunchConfig&) = delete;  // has pointers to itself
  LaunchConfig& operator=(const LaunchConfig&) = delete;
  const cudaLaunchConfig_t* get() const { return &config_; }

 private:
  cudaLaunchAttributeValue& add(cudaLaunchAttributeID what) {
    cudaLaunchAttribute& added = attributes_[config_.numAttrs++];
    added.id = what;
    return added.val;
  }
  cudaLaunchAttribute attributes_[2] = {};
  cudaLaunchConfig_t config_ = {};
};
template <class... Parameters>
void launch(void (*kernel)(Parameters...), const Launch& how,
            const std::type_identity_t<Parameters>&... arguments) {
  checked(cudaLaunchKernelEx(LaunchConfig(how).get(), kernel, arguments...));
}
// How many clusters of such a launch the device holds at the same time.
template <class Kernel>
std::size_t clusters_for(Kernel* kernel, const Launch& how) {
  int clusters = 0;
  checked(cudaOccupancyMaxActiveClusters(&clusters, kernel, LaunchConfig(how).get()));
  return static_cast<std::size_t>(clusters);
}

// As many blocks as the device holds at the same time, or fewer if fewer are needed.
template <class Kernel>
unsigned blocks_for(Kernel* kernel, unsigned threads, std::size_t shared, std::size_t needed) {
  int resident = 0;
  checked(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, static_cast<int>(threads), shared));
  const std::size_t room =
      attribute(cudaDevAttrMultiProcessorCount) * static_cast<std::size_t>(resident > 0 ? resident : 1);
  return static_cast<unsigned>(needed < room ? needed : room);
}

// Warps of a block, where each has a sample: if possible as many as are needed to search for all samples at
// the same time, on all multiprocessors.
inline unsigned warps_a_block(std::size_t samples, unsigned most) {
  const std::size_t processors = attribute(cudaDevAttrMultiProcessorCount),
                    share = (samples + processors - 1) / processors;
  return share == 0 ? 1 : share < most ? static_cast<unsigned>(share) : most;
}

struct FreeOnDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
struct FreePinned {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};
template <class T>
using OnDevice = std::unique_ptr<T, FreeOnDevice>;
template <class T>
using Pinned = std::unique_ptr<T, FreePinned>;

template <class T>
OnDevice<T> on_device(std::size_t count) {
  void* memory = nullptr;
  checked(cudaMalloc(&memory, (count ? count : 1) * sizeof(T)));
  return OnDevice<T>(static_cast<T*>(memory));
}
template <class T>
Pinned<T> pinned(std::size_t count) {
  void* memory = nullptr;
  const cudaError_t status = cudaMallocHost(&memory, (count ? count : 1) * sizeof(T));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw OutOfMemory(
        "the host has no memory that a CUDA device can reach; take smaller batches, or the cpu");
  }
  checked(status);
  return Pinned<T>(static_cast<T*>(memory));
}

// A list, and zeros, that are complete for every stream that uses them later. Streams do not wait for
// cudaMemcpy and cudaMemset, which may return before their work is done.
template <class Number>
OnDevice<Number> brought(const std::vector<Number>& list) {
  OnDevice<Number> there = on_device<Number>(list.size());
  checked(cudaMemcpy(there.get(), list.data(), list.size() * sizeof(Number), cudaMemcpyHostToDevice));
  checked(cudaStreamSynchronize(nullptr));
  return there;
}
template <class Number>
OnDevice<Number> zeros(std::size_t count) {
  OnDevice<Number> there = on_device<Number>(count);
  checked(cudaMemset(there.get(), 0, count * sizeof(Number)));
  checked(cudaStreamSynchronize(nullptr));
  return there;
}

struct EndStream {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<CUstream_st, EndStream>;
// Blocks of kernels with high priority begin before those of others.
enum class Priority : unsigned char { usual, high };
inline Stream made_stream(Priority priority = Priority::usual) {
  cudaStream_t stream = nullptr;
  int usual = 0, high = 0;
  checked(cudaDeviceGetStreamPriorityRange(&usual, &high));
  checked(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                       priority == Priority::high ? high : usual));
  return Stream(stream);
}

struct EndEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<CUevent_st, EndEvent>;
inline Event made_event() {
  cudaEvent_t event = nullptr;
  checked(cudaEventCreate(&event));
  return Event(event);
}

template <class T>
void copy_to(const OnDevice<T>& device, const T* host, std::size_t count, cudaStream_t stream) {
  checked(cudaMemcpyAsync(device.get(), host, count * sizeof(T), cudaMemcpyHostToDevice, stream));
}
template <class T>
void copy_from(T* host, const OnDevice<T>& device, std::size_t count, cudaStream_t stream) {
  checked(cudaMemcpyAsync(host, device.get(), count * sizeof(T), cudaMemcpyDeviceToHost, stream));
}

}  // namespace irn::cuda
