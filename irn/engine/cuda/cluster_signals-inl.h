// How the blocks of a cluster communicate: one writes numbers into another's shared memory, and a signal
// there tells that they have arrived. A thread that waits for the signal sees the numbers; no memory fence is
// needed, unlike with hand-made flags.
//
// A signal has turns. A turn ends when a thread has announced how many bytes will come and all of them have
// arrived; a waiting thread must know the turn's parity, 0 for the first. Needs sm_90 or later.
#ifndef IRN_ENGINE_CUDA_CLUSTER_SIGNALS_INL_H_
#define IRN_ENGINE_CUDA_CLUSTER_SIGNALS_INL_H_

#include "irn/engine/cuda/device_text-inl.h"
//
#include <cstdint>

#if defined(IRN_CUDA_ON_HOST) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define IRN_HAS_CLUSTERS
#endif

namespace irn::cuda {

inline constexpr unsigned oldest_major_with_clusters = 9;

#ifdef IRN_CUDA_ON_HOST

using Signal = cuda_on_host::Signal;
using cuda_on_host::came;
using cuda_on_host::come_for_good;
using cuda_on_host::expect;
using cuda_on_host::expect_there;
using cuda_on_host::meet_cluster;
using cuda_on_host::put_there;
using cuda_on_host::rank_in_cluster;
using cuda_on_host::start_signal;

#else

struct Signal {
  std::uint64_t state;  // an mbarrier
};

#ifdef IRN_HAS_CLUSTERS

__device__ __forceinline__ unsigned rank_in_cluster() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// All threads of all blocks of the cluster wait for each other, and then see what the others wrote before.
__device__ __forceinline__ void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

__device__ __forceinline__ unsigned place_of(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
__device__ __forceinline__ unsigned place_there(const void* shared, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(place_of(shared)), "r"(rank));
  return there;
}

// By one thread, before the cluster meets. A turn ends when `threads` threads have arrived or announced what
// to expect.
__device__ __forceinline__ void start_signal(Signal* own, unsigned threads) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(place_of(own)),
      "r"(threads)
      : "memory");
}
// Called by one thread in each turn.
__device__ __forceinline__ void expect(Signal* own, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place_of(own)), "r"(bytes)
               : "memory");
}
// The same for the block of this rank, whose signal is where `same` is in this block.
__device__ __forceinline__ void expect_there(Signal* same, unsigned rank, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
                   place_there(same, rank)),
               "r"(bytes)
               : "memory");
}
// This thread arrives without announcing anything.
__device__ __forceinline__ void come_for_good(Signal* same, unsigned rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(place_there(same, rank))
               : "memory");
}
__device__ __forceinline__ void put_there(float* same, unsigned rank, float value, Signal* signal) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                   place_there(same, rank)),
               "r"(__float_as_uint(value)), "r"(place_there(signal, rank))
               : "memory");
}
// Whether the turn of this parity has ended.
__device__ __forceinline__ bool came(Signal* own, unsigned parity) {
  unsigned ended;
  asm volatile(
      "{\n.reg .pred ended;\nmbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 ended, [%1], %2;\n"
      "selp.u32 %0, 1, 0, ended;\n}"
      : "=r"(ended)
      : "r"(place_of(own)), "r"(parity)
      : "memory");
  return ended != 0;
}

#endif
#endif

}  // namespace irn::cuda

#endif
