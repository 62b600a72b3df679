// The text of the solvers for one thread: what stands before its functions where nvcc compiles it, and nothing elsewhere. Everything is inlined, so that
// a search is one function whose values may live in registers.
#ifndef IRN_ENGINE_CUDA_DEVICE_TEXT_INL_H_
#define IRN_ENGINE_CUDA_DEVICE_TEXT_INL_H_

#if defined(__CUDACC__) && !defined(IRN_FN)
#define IRN_FN __host__ __device__ __forceinline__
#define IRN_INLINE __host__ __device__ __forceinline__
#define IRN_NOINLINE __host__ __device__ __forceinline__
#define IRN_UNROLL _Pragma("unroll")
#endif
// A loop whose body is to be compiled once.
#ifdef __CUDACC__
#define IRN_NO_UNROLL _Pragma("unroll 1")
#else
#define IRN_NO_UNROLL
#endif
#include "irn/kernels/plain_lanes-inl.h"

#ifdef HIGHWAY_HWY_BASE_H_
#error "no SIMD header of a host compiler belongs here"
#endif

#endif
