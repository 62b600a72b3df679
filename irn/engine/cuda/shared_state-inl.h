// A state that several threads of a warp share: unknown i belongs to thread i % threads. Each thread runs the
// code of a search over its own unknowns; results that need all unknowns are combined here. States side by
// side in a warp are like lanes of a register: all take a branch, or none does.
#ifndef IRN_ENGINE_CUDA_SHARED_STATE_INL_H_
#define IRN_ENGINE_CUDA_SHARED_STATE_INL_H_

#include "irn/engine/cuda/device_text-inl.h"

namespace irn::plain {

#ifdef IRN_DEVICE_TEXT

template <std::size_t count>
struct WarpShare {
  static constexpr std::size_t threads = count;
  static constexpr unsigned warp = 0xFFFFFFFFu;
  static_assert(32 % threads == 0);
  template <std::size_t few>
  using Some = WarpShare<few>;  // all threads of a warp, in groups of `few`
  template <class T, class Find>
  __device__ __forceinline__ static T by_some(const Find& find) {  // a number that each warp finds by itself
    return find();
  }

  __device__ __forceinline__ static std::size_t rank() { return threadIdx.x % threads; }
  __device__ __forceinline__ static bool any(bool here) { return __any_sync(warp, here); }
  template <class T, class Combine>
  __device__ __forceinline__ static T together(T here, const Combine& combine) {
#pragma unroll
    for (unsigned distance = threads / 2; distance > 0; distance /= 2)
      here = combine(here, T(__shfl_xor_sync(warp, here.v, distance)));
    return here;
  }
  // The value of thread `from` of this state.
  template <class T>
  __device__ __forceinline__ static T of(T here, unsigned from) {
    return T(__shfl_sync(warp, here.v, from, threads));
  }
  __device__ __forceinline__ static void meet() { __syncwarp(); }
};

// All threads of a block, `count` of them, share one state.
template <std::size_t count>
struct BlockShare {
  static constexpr std::size_t threads = count, warps = count / 32;
  template <std::size_t few>
  using Some = WarpShare<few>;
  template <class T, class Find>
  __device__ static T by_some(const Find& find) {
    __shared__ T found;
    meet();  // the number found before has been read
    if (threadIdx.x < 32) {
      const T here = find();
      if (threadIdx.x == 0) found = here;
    }
    meet();
    return found;
  }
  __device__ __forceinline__ static std::size_t rank() { return threadIdx.x; }
  __device__ __forceinline__ static bool any(bool here) { return here; }  // all threads have the same value
  __device__ __forceinline__ static void meet() { __syncthreads(); }
  template <class T, class Combine>
  __device__ static T together(T here, const Combine& combine) {
    __shared__ typename T::Scalar of_warps[warps];
    here = WarpShare<32>::together(here, combine);
    meet();  // the number combined before has been read
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = here.v;
    meet();
    T all(of_warps[0]);
    for (std::size_t w = 1; w < warps; ++w) all = combine(all, T(of_warps[w]));
    return all;
  }
};

#endif

}  // namespace irn::plain

#endif
