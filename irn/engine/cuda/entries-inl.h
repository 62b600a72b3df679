// Kernels over a range of the neurons of every sample. The vectors of samples follow each other, `stride`
// numbers apart.
#ifndef IRN_ENGINE_CUDA_ENTRIES_INL_H_
#define IRN_ENGINE_CUDA_ENTRIES_INL_H_

#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {

inline constexpr unsigned entry_threads = 256;

struct Entries {
  std::size_t first, count, samples;
  unsigned blocks() const {
    return static_cast<unsigned>((count * samples + entry_threads - 1) / entry_threads);
  }
};

// Calls what(sample, i); i counts from the beginning of the range.
template <class What>
__device__ __forceinline__ void for_entry(const Entries& entries, const What& what) {
  const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < entries.count * entries.samples) what(k / entries.count, k % entries.count);
}

// Copies a range of every vector to the front of shorter vectors, with zeros behind it.
static __global__ void __launch_bounds__(entry_threads)
    take_entries(Entries entries, const float* from, std::size_t from_stride, float* to,
                 std::size_t to_stride) {
  for_entry({0, to_stride, entries.samples}, [&](std::size_t s, std::size_t i) {
    to[s * to_stride + i] = i < entries.count ? from[s * from_stride + entries.first + i] : 0.0f;
  });
}
// Copies them back.
static __global__ void __launch_bounds__(entry_threads)
    put_entries(Entries entries, const float* from, std::size_t from_stride, float* to,
                std::size_t to_stride) {
  for_entry(entries, [&](std::size_t s, std::size_t i) {
    to[s * to_stride + entries.first + i] = from[s * from_stride + i];
  });
}

}  // namespace irn::cuda

#endif
