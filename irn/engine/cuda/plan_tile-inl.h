// One tile of a product by a plan (product_plan.h), computed by the threads of a block: channels x columns,
// where a column is a place of a sample. The operands go through shared memory, `depth` channels and taps at
// a time. Every entry is one sum in the order of sources, channels and taps: its bits depend on nothing else.
//
// Vectors are read through the first-level cache, since neighbouring taps read the same numbers. To read what
// other blocks have written, a block must have met them (GridMeeting).
#ifndef IRN_ENGINE_CUDA_PLAN_TILE_INL_H_
#define IRN_ENGINE_CUDA_PLAN_TILE_INL_H_

#include "irn/engine/cuda/device_text-inl.h"
//
#include "irn/engine/cuda/product_plan.h"

namespace irn::cuda {

// In the device's memory.
struct PlanLists {
  const PlanPart* parts;
  const PlanSource* sources;
  const int* tables;
  const PlanTile* tiles;
};
struct PlanBuffers {
  const float *weights, *vectors;
  float *scratch, *out;
  std::size_t vector_stride, scratch_stride, out_stride;  // distances from sample to sample
  unsigned samples;
};

struct TileShape {
  static constexpr unsigned threads = 256, columns = ProductPlan::tile_columns, depth = 16, own_columns = 4,
                            across = 8, padded = columns + 4, loads = columns * depth / threads;
  static constexpr std::size_t floats = depth * (ProductPlan::tile_rows + padded);
  static_assert(across * (columns / own_columns) == threads && loads * threads == columns * depth);
};

// A column is a place of a sample.
struct Column {
  unsigned sample, place;
  bool there;
};
__device__ __forceinline__ const float* read_by(const PlanSource& source, const PlanBuffers& buffers,
                                                unsigned sample) {
  return (source.from_scratch ? buffers.scratch + sample * buffers.scratch_stride
                              : buffers.vectors + sample * buffers.vector_stride) +
         source.at;
}

// Adds to an entry's sum what one of its direct sources contributes.
__device__ __noinline__ inline float with_direct(const PlanLists& lists, const PlanBuffers& buffers,
                                                 const PlanPart& part, unsigned which, unsigned channel,
                                                 const Column& here, float sum) {
  const PlanSource source = lists.sources[part.first + part.shared + which];
  const unsigned group = channel / source.group;
  const float* weights = buffers.weights + source.weights +
                         std::size_t(group) * source.channels * source.kernel * source.padded +
                         (channel - group * source.group);
  const float* from = read_by(source, buffers, here.sample) + group * source.channels * source.plane;
  const int *table = lists.tables + source.table + here.place, *numbers = lists.tables + source.numbers;
  for (unsigned i = 0; i < source.channels; ++i, from += source.plane)
    for (unsigned tap = 0; tap < source.taps; ++tap) {
      const int at = table[tap * part.places];
      const unsigned weight = i * source.kernel + static_cast<unsigned>(numbers[tap]);
      if (at != none) sum = fmaf(weights[std::size_t(weight) * source.padded], from[at], sum);
    }
  return sum;
}

// own_rows: channels of a thread, 4 or 8.
template <unsigned own_rows>
class PlanTileMaker {
 public:
  static constexpr unsigned rows = own_rows * TileShape::across;

  // `block`: TileShape::floats numbers of shared memory.
  __device__ PlanTileMaker(const PlanLists& lists, const PlanBuffers& buffers, const PlanTile& tile,
                           float* block)
      : lists_(lists),
        buffers_(buffers),
        tile_(tile),
        part_(lists.parts[tile.part]),
        left_(block),
        right_(block + TileShape::depth * rows) {}

  __device__ void run() {
    for (unsigned k = 0; k < part_.shared; ++k) add(lists_.sources[part_.first + k]);
    store();
  }

 private:
  __device__ __forceinline__ Column column(unsigned n) const {
    const unsigned at = tile_.column + n, sample = at / part_.places;
    return {sample, at - sample * part_.places, sample < buffers_.samples};
  }
  __device__ __forceinline__ void add(const PlanSource& source) {
    const unsigned depth = source.channels * source.taps, group = tile_.row / source.group;
    if (depth == 0) return;
    const float* weights = buffers_.weights + source.weights +
                           std::size_t(group) * source.channels * source.kernel * source.padded +
                           (tile_.row - group * source.group);
    const bool in_line = part_.places == 1 && source.plane == 1 && source.taps == 1;
    const Column mine = column(threadIdx.x % TileShape::columns);
    const unsigned first = group * source.channels * source.plane;
    const float* vectors = in_line ? read_by(source, buffers_, 0) + first
                                   : read_by(source, buffers_, mine.there ? mine.sample : 0) + first;
    float next_left[own_rows / 2], next_right[TileShape::loads];
    const auto load = [&](unsigned from) {
      load_left(source, weights, from, depth, next_left);
      in_line ? load_line(source, vectors, from, depth, next_right)
              : load_places(source, vectors, mine, from, depth, next_right);
    };
    load(0);
    for (unsigned from = 0; from < depth; from += TileShape::depth) {
      put(in_line, next_left, next_right);
      __syncthreads();
      if (from + TileShape::depth < depth) load(from + TileShape::depth);
      multiply();
      __syncthreads();
    }
  }

  // Loads this thread's share of the next rows of weights: some of one row.
  __device__ __forceinline__ void load_left(const PlanSource& source, const float* weights, unsigned from,
                                            unsigned depth, float* next) const {
    constexpr unsigned count = own_rows / 2, in_row = rows / count;
    const unsigned k = from + threadIdx.x / in_row, at = threadIdx.x % in_row * count;
    unsigned row = k;
    if (source.taps != source.kernel && k < depth) {
      const unsigned i = k / source.taps;
      row = i * source.kernel + static_cast<unsigned>(lists_.tables[source.numbers + k - i * source.taps]);
    }
    const float* here = weights + std::size_t(row) * source.padded + at;
    if constexpr (count == 4) {
      const float4 four = k < depth ? __ldg(reinterpret_cast<const float4*>(here)) : float4{0, 0, 0, 0};
      next[0] = four.x, next[1] = four.y, next[2] = four.z, next[3] = four.w;
    } else {
      const float2 two = k < depth ? __ldg(reinterpret_cast<const float2*>(here)) : float2{0, 0};
      next[0] = two.x, next[1] = two.y;
    }
  }

  // Loads this thread's share of the next entries of the vectors: consecutive entries, of several samples.
  __device__ __forceinline__ void load_line(const PlanSource& source, const float* vectors, unsigned from,
                                            unsigned depth, float* next) const {
    const unsigned k = from + threadIdx.x % TileShape::depth;
    const std::size_t stride = source.from_scratch ? buffers_.scratch_stride : buffers_.vector_stride;
    IRN_UNROLL
    for (unsigned l = 0; l < TileShape::loads; ++l) {
      const unsigned s = tile_.column + (l * TileShape::threads + threadIdx.x) / TileShape::depth;
      next[l] = k < depth && s < buffers_.samples ? vectors[s * stride + k] : 0.0f;
    }
  }
  // The same for the entries that one column sees.
  __device__ __forceinline__ void load_places(const PlanSource& source, const float* vector,
                                              const Column& mine, unsigned from, unsigned depth,
                                              float* next) const {
    constexpr unsigned step = TileShape::threads / TileShape::columns;
    const int* table = lists_.tables + source.table + mine.place;
    unsigned k = from + threadIdx.x / TileShape::columns, i = k / source.taps, tap = k - i * source.taps;
    IRN_UNROLL
    for (unsigned l = 0; l < TileShape::loads; ++l, k += step) {
      const int at = mine.there && k < depth ? __ldg(table + tap * part_.places) : none;
      next[l] = at != none ? vector[i * source.plane + static_cast<unsigned>(at)] : 0.0f;
      if (source.taps == 1) {
        i += step;
      } else {
        static_assert(step == 2);  // no more than all taps
        tap += step;
        if (tap >= source.taps) tap -= source.taps, ++i;
      }
    }
  }
  __device__ __forceinline__ void put(bool in_line, const float* next_left, const float* next_right) {
    constexpr unsigned count = own_rows / 2;
    IRN_UNROLL
    for (unsigned l = 0; l < count; ++l) left_[threadIdx.x * count + l] = next_left[l];
    IRN_UNROLL
    for (unsigned l = 0; l < TileShape::loads; ++l) {
      const unsigned at = l * TileShape::threads + threadIdx.x;
      const unsigned k = in_line ? at % TileShape::depth : at / TileShape::columns,
                     n = in_line ? at / TileShape::depth : at % TileShape::columns;
      right_[k * TileShape::padded + n] = next_right[l];
    }
  }

  // A thread's channels of a tile: groups of four, spaced so that neighbouring threads read neighbouring
  // numbers.
  __device__ __forceinline__ static unsigned row(unsigned r) {
    return r / 4 * TileShape::across * 4 + threadIdx.x % TileShape::across * 4 + r % 4;
  }
  __device__ __forceinline__ static unsigned first_column() {
    return threadIdx.x / TileShape::across * TileShape::own_columns;
  }

  __device__ __forceinline__ void multiply() {
    IRN_UNROLL
    for (unsigned k = 0; k < TileShape::depth; ++k) {
      alignas(16) float a[own_rows], z[4];
      IRN_UNROLL
      for (unsigned r = 0; r < own_rows; r += 4)
        *reinterpret_cast<float4*>(a + r) = *reinterpret_cast<const float4*>(left_ + k * rows + row(r));
      *reinterpret_cast<float4*>(z) =
          *reinterpret_cast<const float4*>(right_ + k * TileShape::padded + first_column());
      IRN_UNROLL
      for (unsigned r = 0; r < own_rows; ++r) IRN_UNROLL
      for (unsigned c = 0; c < TileShape::own_columns; ++c) sum_[r][c] = fmaf(a[r], z[c], sum_[r][c]);
    }
  }

  __device__ __forceinline__ void store() const {
    IRN_UNROLL
    for (unsigned c = 0; c < TileShape::own_columns; ++c) {
      const Column here = column(first_column() + c);
      if (!here.there) continue;
      float* out = (part_.to_scratch ? buffers_.scratch + here.sample * buffers_.scratch_stride
                                     : buffers_.out + here.sample * buffers_.out_stride) +
                   part_.at + static_cast<unsigned>(lists_.tables[part_.to + here.place]);
      IRN_UNROLL
      for (unsigned r = 0; r < own_rows; ++r) {
        if (row(r) >= tile_.rows) continue;
        const unsigned channel = tile_.row + row(r);
        float sum = sum_[r][c];
        for (unsigned k = 0; k < part_.direct; ++k)
          sum = with_direct(lists_, buffers_, part_, k, channel, here, sum);
        float& entry = out[channel * part_.plane];
        entry = part_.adds ? entry + sum : sum;
      }
    }
  }
  const PlanLists& lists_;
  const PlanBuffers& buffers_;
  const PlanTile tile_;
  const PlanPart part_;
  float *left_, *right_;
  float sum_[own_rows][TileShape::own_columns] = {};
};

// Called by all threads of a block.
__device__ __forceinline__ void make_plan_tile(const PlanLists& lists, const PlanBuffers& buffers,
                                               const PlanTile& tile, float* block) {
  if (tile.rows > ProductPlan::tile_rows / 2)
    PlanTileMaker<8>(lists, buffers, tile, block).run();
  else
    PlanTileMaker<4>(lists, buffers, tile, block).run();
}

}  // namespace irn::cuda

#endif
