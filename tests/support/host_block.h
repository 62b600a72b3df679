// Threads of the host in place of the threads of a block on a device, for code that names threadIdx,
// __syncthreads() or __ldg(). The keywords of CUDA's compiler are defined as nothing. The standard library
// uses some of these names, too, so its headers come first.
#pragma once

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace irn {

struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};

inline constexpr unsigned host_block_threads = 256;
struct HostThread {
  unsigned x = 0;
};
inline thread_local HostThread threadIdx;
inline std::barrier<> block_meeting{host_block_threads};
inline void __syncthreads() { block_meeting.arrive_and_wait(); }
template <class T>
T __ldg(const T* at) {
  return *at;
}

// Runs `what` in each thread of a block.
template <class Do>
void run_block(const Do& what) {
  std::vector<std::jthread> team;
  for (unsigned r = 0; r < host_block_threads; ++r)
    team.emplace_back([&what, r] { threadIdx.x = r, what(); });
}

}  // namespace irn

#define __device__
#define __forceinline__ inline
#define __noinline__
