// The part of CUDA that irn/engine/cuda uses, for a host without a device. With it g++ compiles the kernels
// and the code that launches them unchanged, and the tests of the engine run anywhere. What a device does in
// parallel is done here in turn, so this finds errors, not slowness:
//   - every thread of a block is a fiber, which runs until it has to wait for others (block.h)
//   - blocks of a launch run one after the other; blocks that must run together, all of a launch or those of
//     a cluster, run in one thread of the host each
//   - a launch, a copy or an event is complete when the call returns: streams have nothing left to order
//   - memory of the device, and what a launch gives a block of it, is all NaNs at first, so that
//     numbers nobody wrote are noticed; variables that a kernel declares are not
//   - threads of a block that wait for each other in vain end the program with a message; blocks that do so
//     wait for ever
// It does not find races: the fibers of a block never run at the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>  // has an attribute called __noinline__

#define IRN_CUDA_ON_HOST

// ---- words ----
#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static thread_local  // a block never leaves its thread of the host

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

inline thread_local constinit uint3 threadIdx{}, blockIdx{};
inline thread_local constinit dim3 blockDim{}, gridDim{};

namespace cuda_on_host {

void* shared_memory();
void meet_block();
unsigned count_in_block(bool here);  // the number of threads with true; all threads of the block call it
void meet_warp();
// The value that lane `from` of this warp gives, or `given` if that lane has ended; all lanes call it.
std::uint64_t of_lane(std::uint64_t given, unsigned from);
unsigned ballot(bool here);
// A counter in the device's memory that blocks wait for.
void add_one(unsigned* counter);
unsigned seen(const unsigned* counter);

// Functions for the blocks of a cluster (cluster_signals-inl.h). A signal's turn ends when all `threads` and
// all expected bytes have come.
struct Signal {
  std::uint64_t state;
};
unsigned rank_in_cluster();
void meet_cluster();
void start_signal(Signal* own, unsigned threads);
void expect(Signal* own, unsigned bytes);
void expect_there(Signal* same, unsigned rank, unsigned bytes);
void come_for_good(Signal* same, unsigned rank);
void put_there(float* same, unsigned rank, float value, Signal* signal);
bool came(Signal* own, unsigned parity);

inline unsigned lane() { return threadIdx.x % 32; }  // blocks have one dimension
template <class T>
T exchanged(T given, unsigned from) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &given, sizeof given);
  bits = of_lane(bits, from);
  std::memcpy(&given, &bits, sizeof given);
  return given;
}

}  // namespace cuda_on_host

// ---- functions of kernels ----
inline void __syncthreads() { cuda_on_host::meet_block(); }
inline int __syncthreads_or(int here) { return cuda_on_host::count_in_block(here != 0) != 0; }
inline int __syncthreads_and(int here) { return cuda_on_host::count_in_block(here == 0) == 0; }
inline void __syncwarp(unsigned = ~0u) { cuda_on_host::meet_warp(); }
inline unsigned __ballot_sync(unsigned, int here) { return cuda_on_host::ballot(here != 0); }
inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __ffs(int bits) { return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1; }
inline int __any_sync(unsigned, int here) { return cuda_on_host::ballot(here != 0) != 0; }
inline int __all_sync(unsigned, int here) { return cuda_on_host::ballot(here == 0) == 0; }
template <class T>
T __shfl_xor_sync(unsigned, T given, int distance) {
  return cuda_on_host::exchanged(given, cuda_on_host::lane() ^ static_cast<unsigned>(distance));
}
template <class T>
T __shfl_sync(unsigned, T given, int from, int width = 32) {
  const unsigned team = static_cast<unsigned>(width);
  return cuda_on_host::exchanged(given,
                                 cuda_on_host::lane() / team * team + static_cast<unsigned>(from) % team);
}
template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcg(const T* from) {
  return *from;
}
template <class T>
T atomicAdd(T* to, T more) {
  return std::atomic_ref<T>(*to).fetch_add(more);
}
inline unsigned atomicOr(unsigned* to, unsigned bits) {
  return std::atomic_ref<unsigned>(*to).fetch_or(bits);
}
inline unsigned atomicMax(unsigned* to, unsigned other) {
  std::atomic_ref<unsigned> largest(*to);
  unsigned before = largest.load();
  while (before < other && !largest.compare_exchange_weak(before, other)) {
  }
  return before;
}
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
using std::max;
using std::min;

// ---- the runtime ----
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorInvalidDevice = 101,
  cudaErrorNotReady = 600
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr {
  cudaDevAttrComputeCapabilityMajor,
  cudaDevAttrMultiProcessorCount,
  cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaLaunchAttributeID { cudaLaunchAttributeCooperative, cudaLaunchAttributeClusterDimension };
inline constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2;

struct CUstream_st {};
struct CUevent_st {
  double seconds = 0;
};
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes = 0;
  int maxDynamicSharedSizeBytes = 0, ptxVersion = 90;
};
struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem;
  int major, minor, multiProcessorCount;
};
union cudaLaunchAttributeValue {
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

const char* cudaGetErrorString(cudaError_t status);
cudaError_t cudaGetLastError();
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int* device);

cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemset(void* to, int byte, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream);

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);

namespace cuda_on_host {

// Few, so that each takes several blocks in turn.
inline constexpr unsigned multiprocessors = 2, blocks_a_multiprocessor = 2;
cudaError_t run(const cudaLaunchConfig_t& config, const std::function<void()>& kernel);

}  // namespace cuda_on_host

template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* facts, Kernel*) {
  *facts = {};
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, int, std::size_t) {
  *blocks = cuda_on_host::blocks_a_multiprocessor;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, Kernel*, const cudaLaunchConfig_t*) {
  *clusters = 1;  // so that its blocks get several samples each
  return cudaSuccess;
}
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               const Arguments&... arguments) {
  return cuda_on_host::run(*config, [&] { kernel(arguments...); });
}
