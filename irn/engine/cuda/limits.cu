// What a device can do, measured: searches and training are compared with it.
#include "irn/engine/cuda/limits.h"

#include <algorithm>

#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr std::size_t chains = 8, rounds = 20'000,
                      floats = std::size_t{1} << 28;  // 1 GiB, far beyond the caches

// From registers, with enough chains to hide the latency of a multiply-add. They start with different
// numbers, and the sum is written, so that nothing is optimised away.
__global__ void __launch_bounds__(threads) multiply_adds(float* out) {
  float v[chains];
#pragma unroll
  for (std::size_t k = 0; k < chains; ++k) v[k] = static_cast<float>(threadIdx.x + k);
  for (std::size_t r = 0; r < rounds; ++r)
#pragma unroll
    for (std::size_t k = 0; k < chains; ++k) v[k] = fmaf(v[k], 0.999f, 1e-3f);
  float sum = 0;
#pragma unroll
  for (std::size_t k = 0; k < chains; ++k) sum += v[k];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

__global__ void __launch_bounds__(threads) read_all(const float4* from, std::size_t count, float* out) {
  float sum = 0;
  for (std::size_t i = blockIdx.x * threads + threadIdx.x; i < count; i += std::size_t(gridDim.x) * threads) {
    const float4 v = from[i];
    sum += v.x + v.y + v.z + v.w;
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

// The shortest of several runs, in seconds.
template <class Run>
double shortest(cudaStream_t stream, const Run& run) {
  const Event begin = made_event(), end = made_event();
  float best = 0;
  for (int k = 0; k < 8; ++k) {
    checked(cudaEventRecord(begin.get(), stream));
    run();
    checked(cudaEventRecord(end.get(), stream));
    checked(cudaEventSynchronize(end.get()));
    float milliseconds = 0;
    checked(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
    best = k == 0 ? milliseconds : std::min(best, milliseconds);
  }
  return 1e-3 * double(best);
}

}  // namespace

DeviceLimits measured_limits(unsigned device) {
  use(device);
  const auto blocks = static_cast<unsigned>(8 * attribute(cudaDevAttrMultiProcessorCount));
  const Stream stream = made_stream();
  const OnDevice<float> out = on_device<float>(blocks * threads), values = on_device<float>(floats);
  checked(cudaMemsetAsync(values.get(), 0x3C, floats * sizeof(float), stream.get()));
  const double arithmetic =
      shortest(stream.get(), [&] { launch(multiply_adds, {blocks, threads, stream.get()}, out.get()); });
  const double memory = shortest(stream.get(), [&] {
    launch(read_all, {blocks, threads, stream.get()}, reinterpret_cast<const float4*>(values.get()),
           floats / 4, out.get());
  });
  return {double(blocks) * threads * double(chains * rounds) / arithmetic,
          double(floats * sizeof(float)) / memory};
}

}  // namespace irn::cuda
