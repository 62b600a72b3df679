// Compiles the solvers for one device thread: defines what stands before their functions under nvcc, and
// nothing elsewhere. Everything is inlined, so that a search is one function whose values can be in
// registers.
#ifndef IRN_ENGINE_CUDA_DEVICE_TEXT_INL_H_
#define IRN_ENGINE_CUDA_DEVICE_TEXT_INL_H_

// CUDA's keywords are known: under nvcc, and where tests compile this code for the host (tests/cuda/on_host).
#if defined(__CUDACC__) || defined(IRN_CUDA_ON_HOST)
#define IRN_DEVICE_TEXT
#endif

#if defined(IRN_DEVICE_TEXT) && !defined(IRN_FN)
#define IRN_FN __host__ __device__ __forceinline__
#define IRN_INLINE __host__ __device__ __forceinline__
#define IRN_NOINLINE __host__ __device__ __forceinline__
#define IRN_UNROLL _Pragma("unroll")
#endif
// Before a loop whose body is to be compiled once.
#ifdef IRN_DEVICE_TEXT
#define IRN_NO_UNROLL _Pragma("unroll 1")
#else
#define IRN_NO_UNROLL
#endif
#include "irn/kernels/plain_lanes-inl.h"

#ifdef IRN_DEVICE_TEXT
namespace irn::cuda {

// The shared memory with which a block was launched (Launch::shared), beside what its kernel declares.
template <class T>
__device__ __forceinline__ T* shared_memory() {
#ifdef IRN_CUDA_ON_HOST
  return static_cast<T*>(cuda_on_host::shared_memory());
#else
  extern __shared__ __align__(16) unsigned char block[];
  return reinterpret_cast<T*>(block);
#endif
}

}  // namespace irn::cuda
#endif

#ifdef HIGHWAY_HWY_BASE_H_
#error "no SIMD header of a host compiler belongs here"
#endif

#endif
