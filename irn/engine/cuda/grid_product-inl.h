// A times the vectors of many samples at once. A block of threads searches for one sample. When its search
// needs a product, the block waits until the other blocks of its group need theirs, wherever they are in
// their own searches. Then all of them compute all products as one matrix product, some tiles each, and
// continue. A block that has no sample left helps until all are done. A group has as many samples as a tile:
// in a larger one, blocks would wait for each other without gain.
//
// An entry of a product is the sum over k in `groups` parts, part k / 4 % groups, added in order: its bits
// depend on A and the vector alone. All blocks must be on the device at the same time (a cooperative launch).
#ifndef IRN_ENGINE_CUDA_GRID_PRODUCT_INL_H_
#define IRN_ENGINE_CUDA_GRID_PRODUCT_INL_H_

#include "irn/engine/cuda/device_text-inl.h"
//
#include "irn/engine/cuda/search_memory.h"

namespace irn::cuda {

// A tile: rows of A by samples. `groups` groups of threads sum it in parts; each thread has own_rows x
// own_samples entries of its part.
template <unsigned tile_rows, unsigned tile_samples, unsigned thread_rows, unsigned depth_at_once>
struct ProductTile {
  static constexpr unsigned threads = 256, rows = tile_rows, samples = tile_samples, own_rows = thread_rows,
                            own_samples = 4, depth = depth_at_once;
  static constexpr unsigned across = rows / own_rows, a_group = across * (samples / own_samples),
                            groups = threads / a_group, padded = depth + 4;
  static constexpr unsigned row_loads = rows * depth / 4 / threads,
                            sample_loads = samples * depth / 4 / threads;
  static constexpr std::size_t floats =
      std::size_t{rows} * (depth > samples * groups ? depth : samples * groups) + samples * padded;
  static_assert(own_rows * across == rows && row_loads * threads * 4 == rows * depth &&
                sample_loads * threads * 4 == samples * depth && depth % (4 * groups) == 0);
};
// Sizes by count (others were not tried): 258 neurons and 256 samples make 144 narrow tiles, 1,026 neurons
// 136 broad ones, at least one for each of 132 multiprocessors.
using NarrowTile = ProductTile<32, 16, 4, 64>;
using BroadTile = ProductTile<64, 32, 8, 32>;
inline constexpr std::size_t narrow_limit = 512;

// What all blocks of a launch share.
struct GridMemory {
  float *vectors, *products;  // [block][size]
  unsigned* asks;             // for each block: whether it wants a product this time
  // For each group of blocks, 128 bytes apart, zero at first: how often its blocks have come to meet, how
  // often they have reached the end of a part of their samples, and two counters of a PlanProduct.
  unsigned* counters;
};
inline constexpr unsigned counters_a_group = 32;

// Where `members` blocks wait for each other. Afterwards, what they wrote before is visible to reads past the
// first-level cache (__ldcg), and to all reads if that cache is emptied. It is not emptied where it holds the
// memory of each thread's own search.
template <bool empties_cache>
class GridMeeting {
 public:
  __device__ GridMeeting(unsigned* counter, unsigned members) : counter_(counter), members_(members) {}

  __device__ void meet() {
    __syncthreads();
    if (threadIdx.x == 0) {
      ++met_;
      add_one(counter_);
      while (static_cast<int>(seen(counter_) - met_ * members_) < 0) {  // also where the count has wrapped
      }
      if constexpr (empties_cache) empty_cache();
    }
    __syncthreads();
  }

 private:
#ifdef IRN_CUDA_ON_HOST
  static void add_one(unsigned* counter) { cuda_on_host::add_one(counter); }
  static unsigned seen(const unsigned* counter) { return cuda_on_host::seen(counter); }
  static void empty_cache() {}
#else
  // After all earlier writes.
  __device__ __forceinline__ static void add_one(unsigned* counter) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
  }
  __device__ __forceinline__ static unsigned seen(const unsigned* counter) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
  }
  __device__ __forceinline__ static void empty_cache() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
#endif

  unsigned* counter_;
  unsigned members_;
  unsigned met_ = 0;  // in the block's first thread
};

template <class V, class Tile>
class GridProduct {
 public:
  using T = float;
  static_assert(sizeof(typename V::Scalar) == sizeof(float));

  // a: entry (i, j) is at j * size + i; `block`: Tile::floats numbers of shared memory.
  __device__ GridProduct(const T* a, std::size_t size, std::size_t neurons, const GridMemory& memory,
                         T* block)
      : a_(a),
        size_(size),
        neurons_(neurons),
        memory_(memory),
        block_(block),
        first_(blockIdx.x / most_members() * most_members()),
        members_(min(most_members(), gridDim.x - first_)),
        counters_(memory.counters + blockIdx.x / most_members() * counters_a_group),
        group_(counters_, members_) {}

  __device__ void multiply(const V* z, V* out, std::size_t rows) {
    T* own = memory_.vectors + blockIdx.x * size_;
    for (std::size_t r = 0; r < rows; ++r) own[plain::unknown<V>(r)] = z[r].v;
    if (threadIdx.x == 0) memory_.asks[blockIdx.x] = 1;
    take_turn();
    const T* found = memory_.products + blockIdx.x * size_;
    for (std::size_t r = 0; r < rows; ++r) out[r] = V(__ldcg(found + plain::unknown<V>(r)));
  }

  // This block has no sample left in a part of the work: it helps the others until all are done.
  __device__ void help_others() {
    if (threadIdx.x == 0) {
      memory_.asks[blockIdx.x] = 0;
      atomicAdd(counters_ + 1, 1u);
    }
    while (take_turn()) {
    }
    ++part_;
  }

 private:
  // Blocks in a group: as few groups as possible, of about the same size.
  __device__ static unsigned most_members() {
    const unsigned groups = (gridDim.x + Tile::samples - 1) / Tile::samples;
    return (gridDim.x + groups - 1) / groups;
  }

  // Returns whether some block may have asked.
  __device__ __noinline__ bool take_turn() {
    group_.meet();
    // The same for all blocks: it changes only before they meet, and afterwards for the next part.
    if (__ldcg(counters_ + 1) >= part_ * members_) return false;
    for (unsigned row = (blockIdx.x - first_) * Tile::rows; row < neurons_; row += members_ * Tile::rows)
      make_tile(row);
    group_.meet();
    return true;
  }

  __device__ void make_tile(unsigned first_row) {
    const bool asked = threadIdx.x < members_ && __ldcg(memory_.asks + first_ + threadIdx.x) != 0;
    if (!__syncthreads_or(asked)) return;
    T* rows = block_;
    T* samples = block_ + (Tile::floats - Tile::samples * Tile::padded);
    float4 next_rows[Tile::row_loads], next_samples[Tile::sample_loads];
    T sum[Tile::own_samples][Tile::own_rows] = {};
    load(first_row, 0, next_rows, next_samples);
    for (unsigned from = 0; from < neurons_; from += Tile::depth) {
      put(next_rows, next_samples, rows, samples);
      __syncthreads();
      if (from + Tile::depth < neurons_) load(first_row, from + Tile::depth, next_rows, next_samples);
      add(rows, samples, sum);
      __syncthreads();
    }
    put_together(first_row, sum);
  }

  // Loads this thread's share of the next `depth` columns of A and entries of the vectors.
  __device__ __forceinline__ void load(unsigned first_row, unsigned from, float4* next_rows,
                                       float4* next_samples) const {
#pragma unroll
    for (unsigned l = 0; l < Tile::row_loads; ++l) {
      const unsigned at = (l * Tile::threads + threadIdx.x) * 4, k = from + at / Tile::rows,
                     i = first_row + at % Tile::rows;
      next_rows[l] = k < neurons_ && i < size_ ? __ldg(reinterpret_cast<const float4*>(a_ + k * size_ + i))
                                               : float4{0, 0, 0, 0};
    }
#pragma unroll
    for (unsigned l = 0; l < Tile::sample_loads; ++l) {
      const unsigned at = (l * Tile::threads + threadIdx.x) * 4, s = at / Tile::depth,
                     k = from + at % Tile::depth;
      next_samples[l] =
          s < members_ && k < size_
              ? __ldcg(reinterpret_cast<const float4*>(memory_.vectors + (first_ + s) * size_ + k))
              : float4{0, 0, 0, 0};
    }
  }
  __device__ __forceinline__ static void put(const float4* next_rows, const float4* next_samples, T* rows,
                                             T* samples) {
#pragma unroll
    for (unsigned l = 0; l < Tile::row_loads; ++l)
      *reinterpret_cast<float4*>(rows + (l * Tile::threads + threadIdx.x) * 4) = next_rows[l];
#pragma unroll
    for (unsigned l = 0; l < Tile::sample_loads; ++l) {
      const unsigned at = (l * Tile::threads + threadIdx.x) * 4;
      *reinterpret_cast<float4*>(samples + at / Tile::depth * Tile::padded + at % Tile::depth) =
          next_samples[l];
    }
  }

  // A thread's rows of a tile: groups of four, spaced so that neighbouring threads read neighbouring numbers.
  __device__ __forceinline__ static unsigned row(unsigned four) {
    return four * Tile::across * 4 + threadIdx.x % Tile::across * 4;
  }
  __device__ __forceinline__ static unsigned sample() {
    return threadIdx.x % Tile::a_group / Tile::across * Tile::own_samples;
  }
  __device__ __forceinline__ static unsigned group() { return threadIdx.x / Tile::a_group; }

  __device__ __forceinline__ static void add(const T* rows, const T* samples, T (*sum)[Tile::own_rows]) {
#pragma unroll
    for (unsigned four = 0; four < Tile::depth / 4; four += Tile::groups) {
      const unsigned k = (four + group()) * 4;
      float z[Tile::own_samples][4];
#pragma unroll
      for (unsigned s = 0; s < Tile::own_samples; ++s)
        *reinterpret_cast<float4*>(z[s]) =
            *reinterpret_cast<const float4*>(samples + (sample() + s) * Tile::padded + k);
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) {
        float a[Tile::own_rows];
#pragma unroll
        for (unsigned r = 0; r < Tile::own_rows; r += 4)
          *reinterpret_cast<float4*>(a + r) =
              *reinterpret_cast<const float4*>(rows + (k + e) * Tile::rows + row(r / 4));
#pragma unroll
        for (unsigned s = 0; s < Tile::own_samples; ++s)
#pragma unroll
          for (unsigned r = 0; r < Tile::own_rows; ++r) sum[s][r] = fmaf(a[r], z[s][e], sum[s][r]);
      }
    }
  }

  // Adds the parts of all groups, in order.
  __device__ __forceinline__ void put_together(unsigned first_row, const T (*sum)[Tile::own_rows]) {
#pragma unroll
    for (unsigned s = 0; s < Tile::own_samples; ++s)
#pragma unroll
      for (unsigned r = 0; r < Tile::own_rows; r += 4)
        *reinterpret_cast<float4*>(block_ + (group() * Tile::samples + sample() + s) * Tile::rows +
                                   row(r / 4)) =
            float4{sum[s][r], sum[s][r + 1], sum[s][r + 2], sum[s][r + 3]};
    __syncthreads();
    for (unsigned at = threadIdx.x; at < Tile::rows * Tile::samples; at += Tile::threads) {
      T all = block_[at];
#pragma unroll
      for (unsigned g = 1; g < Tile::groups; ++g) all += block_[g * Tile::rows * Tile::samples + at];
      const unsigned s = at / Tile::rows, i = first_row + at % Tile::rows;
      if (s < members_ && i < size_) memory_.products[(first_ + s) * size_ + i] = all;
    }
    __syncthreads();
  }

  const T* a_;
  std::size_t size_, neurons_;
  GridMemory memory_;
  T* block_;
  unsigned first_, members_;  // the blocks of this block's group
  unsigned* counters_;
  GridMeeting<false> group_;
  unsigned part_ = 1;
};

}  // namespace irn::cuda

#endif
