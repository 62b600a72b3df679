// Memory, streams and events of a device that is the host.
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "tests/cuda/on_host/cuda_on_host.h"

namespace {

thread_local int device_in_use = 0;
thread_local cudaError_t last = cudaSuccess;

cudaError_t said(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}

// The device's memory. CUDA_ON_HOST_BYTES sets its size, for tests of a device that is full.
class Memory {
 public:
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > room() - used_) return nullptr;
    void* memory = std::malloc(bytes);
    if (!memory) return nullptr;
    std::memset(memory, 0xFF, bytes);
    used_ += bytes, sizes_[memory] = bytes;
    return memory;
  }
  void give_back(void* memory) {
    const std::lock_guard lock(mutex_);
    if (const auto found = sizes_.find(memory); found != sizes_.end())
      used_ -= found->second, sizes_.erase(found);
    std::free(memory);
  }
  std::size_t left() {
    const std::lock_guard lock(mutex_);
    return room() - used_;
  }
  static std::size_t room() {
    static const char* const said = std::getenv("CUDA_ON_HOST_BYTES");
    return said ? std::strtoull(said, nullptr, 10) : std::size_t{4} << 30;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> sizes_;
  std::size_t used_ = 0;
};
Memory& device_memory() {
  static Memory memory;
  return memory;
}

// The compute capability that it reports, from CUDA_ON_HOST_MAJOR: 9, whose blocks have clusters, or an older
// one.
int major() {
  static const char* const said = std::getenv("CUDA_ON_HOST_MAJOR");
  return said ? std::atoi(said) : 9;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorNotReady:
      return "device not ready";
  }
  return "unknown error";
}
cudaError_t cudaGetLastError() {
  const cudaError_t status = last;
  last = cudaSuccess;
  return status;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return said(cudaErrorInvalidDevice);
  *properties = {"this host, in place of a CUDA device", Memory::room(), major(), 0,
                 cuda_on_host::multiprocessors};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  switch (which) {  // shared memory as sm_90 has it
    case cudaDevAttrComputeCapabilityMajor:
      *value = major();
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = cuda_on_host::multiprocessors;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 227 * 1024;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = 228 * 1024;
      break;
  }
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device != 0) return said(cudaErrorInvalidDevice);
  device_in_use = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = device_in_use;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = device_memory().take(bytes);
  return *memory ? cudaSuccess : said(cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* memory) {
  device_memory().give_back(memory);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all) {
  *left = device_memory().left(), *all = Memory::room();
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return *memory ? cudaSuccess : said(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void* to, int byte, std::size_t bytes) {
  std::memset(to, byte, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t) {
  return cudaMemset(to, byte, bytes);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->seconds = now();
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = static_cast<float>(1e3 * (end->seconds - begin->seconds));
  return cudaSuccess;
}
