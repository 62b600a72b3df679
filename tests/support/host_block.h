// Threads of the host in the place of those of a block on a device, for text that names them: threadIdx, __syncthreads(), __ldg(). The words of CUDA's compiler are nothing here; they
// are words of the standard library's, too, so that its headers come first.
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

// What each thread of a block does.
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
