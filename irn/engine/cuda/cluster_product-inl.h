// A times the vectors of samples, shared by a cluster of blocks: each block keeps some rows of A in its
// shared memory. A warp searches for a sample. When its search needs a product, it sends the vector to all
// blocks of the cluster. There, warps that do nothing else (workers) multiply it by their rows and send the
// results back. Only the warp that asked waits, and only for its own product.
//
// An entry of a product is the sum over k in 32 parts, part k % 32, added as a tree: its bits depend on A and
// the vector alone.
#ifndef IRN_ENGINE_CUDA_CLUSTER_PRODUCT_INL_H_
#define IRN_ENGINE_CUDA_CLUSTER_PRODUCT_INL_H_

#include "irn/engine/cuda/cluster_shape.h"
#include "irn/engine/cuda/cluster_signals-inl.h"

namespace irn::cuda {

#ifdef IRN_HAS_CLUSTERS

template <class V>
class ClusterProduct {
 public:
  using T = float;
  static_assert(sizeof(typename V::Scalar) == sizeof(float) && V::Share::threads == 32);

  // Called by all threads of the cluster. a: entry (i, j) is at j * size + i; `shared`: shape.bytes() of
  // shared memory.
  __device__ ClusterProduct(const ClusterShape& shape, const T* a, std::size_t size, void* shared)
      : shape_(shape), rank_(rank_in_cluster()), warp_(threadIdx.x / 32), lane_(threadIdx.x % 32) {
    asked_ = static_cast<Signal*>(shared), answered_ = asked_ + shape.slots();
    ended_ = answered_ + shape.samples;
    vectors_ = static_cast<T*>(shared) + shape.floats_of_signals();
    products_ = vectors_ + shape.slots() * shape.width(), rows_ = products_ + shape.samples * shape.width();
    if (threadIdx.x < shape.slots() + shape.samples) start_signal(asked_ + threadIdx.x, 1);
    if (threadIdx.x == shape.slots() + shape.samples) start_signal(ended_, shape.slots());
    bring_rows(a, size);
    meet_cluster();
  }
  // Called by all threads at the end: no block may leave while others can still write into its memory.
  __device__ void leave() { meet_cluster(); }

  // Whether this warp searches for samples; otherwise it is a worker. The cluster's samples are dealt to its
  // slots in turn.
  __device__ bool searches() const { return warp_ < shape_.samples; }
  __device__ std::size_t first() const { return std::size_t(blockIdx.x) * shape_.samples + warp_; }
  __device__ std::size_t stride() const { return std::size_t(gridDim.x) * shape_.samples; }

  __device__ void multiply(const V* z, V* out, std::size_t rows) {
    const unsigned bytes = shape_.neurons * sizeof(T), slot = rank_ * shape_.samples + warp_;
    if (lane_ == 0) expect(answered_ + warp_, bytes);
    if (lane_ < shape_.blocks) expect_there(asked_ + slot, lane_, bytes);
    T* vector = vectors_ + slot * shape_.width() + lane_;
    for (unsigned r = 0; r < rows; ++r)
      if (r * 32 + lane_ < shape_.neurons)
        for (unsigned rank = 0; rank < shape_.blocks; ++rank)
          put_there(vector + r * 32, rank, z[r].v, asked_ + slot);
    while (!came(answered_ + warp_, turn_)) {
    }
    turn_ ^= 1;
    for (unsigned r = 0; r < rows; ++r) out[r] = V(products_[warp_ * shape_.width() + r * 32 + lane_]);
    __syncwarp();
  }
  // This warp will not ask for any more products.
  __device__ void end() {
    if (lane_ < shape_.blocks) come_for_good(ended_, lane_);
  }

  // The loop of a worker, until all samples of the cluster have ended.
  __device__ void work() {
    // No search waits for this worker's answers, so it could miss turns.
    if (first_of_worker() >= own_rows()) {
      while (!came(ended_, 0)) {
      }
      return;
    }
    unsigned turn = 0;  // of the slot with this lane's number
    while (true) {
      const bool asked = lane_ < shape_.slots() && came(asked_ + lane_, turn);
      unsigned open = __ballot_sync(all_lanes, asked);
      __syncwarp();  // what came to one lane is visible to all
      if (asked) turn ^= 1;
      if (open == 0 && __any_sync(all_lanes, came(ended_, 0))) return;
      while (open != 0) {
        const int count = __popc(open);
        if (count >= 4)
          answer<4>(open);
        else if (count >= 2)
          answer<2>(open);
        else
          answer<1>(open);
      }
    }
  }

 private:
  static constexpr unsigned all_lanes = ~0u, at_once = ClusterShape::rows_at_once;

  // Copies row i of this block to rows_[i * stride + k]. Padding is zero, and so are the vectors beyond the
  // last neuron.
  __device__ void bring_rows(const T* a, std::size_t size) {
    const unsigned first = shape_.first_row(rank_);
    for (unsigned at = threadIdx.x; at < shape_.rows * shape_.width(); at += blockDim.x) {
      const unsigned i = at % shape_.rows, k = at / shape_.rows;
      rows_[i * shape_.stride() + k] =
          first + i < shape_.neurons && k < shape_.neurons ? a[k * size + first + i] : T(0);
    }
    for (unsigned at = threadIdx.x; at < (shape_.slots() + shape_.samples) * shape_.width(); at += blockDim.x)
      vectors_[at] = 0;
  }

  __device__ unsigned own_rows() const { return shape_.first_row(rank_ + 1) - shape_.first_row(rank_); }
  __device__ unsigned first_of_worker() const { return (warp_ - shape_.samples) * at_once; }

  // Answers the first `count` of the open slots and closes them.
  template <unsigned count>
  __device__ __forceinline__ void answer(unsigned& open) {
    unsigned slots[count];
    const T* vectors[count];
#pragma unroll
    for (unsigned m = 0; m < count; ++m) {
      slots[m] = static_cast<unsigned>(__ffs(static_cast<int>(open)) - 1);
      open &= open - 1;
      vectors[m] = vectors_ + slots[m] * shape_.width() + lane_;
    }
    const unsigned end = own_rows();
    for (unsigned row = first_of_worker(); row < end; row += shape_.workers * at_once) {
      T sum[count][at_once] = {};
      add(rows_ + row * shape_.stride() + lane_, vectors, sum);
      const unsigned i = shape_.first_row(rank_) + row + lane_ / (32 / at_once);
#pragma unroll
      for (unsigned m = 0; m < count; ++m) {
        const T entry = put_together(sum[m]);
        const unsigned warp = slots[m] % shape_.samples;
        if (lane_ % (32 / at_once) == 0 && i < shape_.neurons)
          put_there(products_ + warp * shape_.width() + i, slots[m] / shape_.samples, entry,
                    answered_ + warp);
      }
    }
  }
  // Adds this lane's parts of `at_once` rows.
  template <unsigned count>
  __device__ __forceinline__ void add(const T* row, const T* const (&vectors)[count],
                                      T (&sum)[count][at_once]) const {
    const unsigned width = shape_.width(), stride = shape_.stride();
#pragma unroll 2
    for (unsigned k = 0; k < width; k += 32) {
      T z[count];
#pragma unroll
      for (unsigned m = 0; m < count; ++m) z[m] = vectors[m][k];
#pragma unroll
      for (unsigned r = 0; r < at_once; ++r) {
        const T a = row[r * stride + k];
#pragma unroll
        for (unsigned m = 0; m < count; ++m) sum[m][r] = fmaf(a, z[m], sum[m][r]);
      }
    }
  }
  // Sums over all lanes; the sum of row r ends up in lanes 4 r to 4 r + 3.
  __device__ __forceinline__ T put_together(T (&sum)[at_once]) const {
    unsigned distance = 16;
#pragma unroll
    for (unsigned half = at_once / 2; half > 0; half /= 2, distance /= 2) {
      const bool upper = (lane_ & distance) != 0;
#pragma unroll
      for (unsigned r = 0; r < half; ++r) {
        const T kept = upper ? sum[r + half] : sum[r], given = upper ? sum[r] : sum[r + half];
        sum[r] = kept + __shfl_xor_sync(all_lanes, given, distance);
      }
    }
    T all = sum[0];
    for (; distance > 0; distance /= 2) all += __shfl_xor_sync(all_lanes, all, distance);
    return all;
  }

  const ClusterShape& shape_;
  unsigned rank_, warp_, lane_, turn_ = 0;
  Signal *asked_, *answered_, *ended_;  // asked: by slot of the cluster; answered: by sample of this block
  T *vectors_, *products_, *rows_;      // by slot, by sample
};

#endif

}  // namespace irn::cuda

#endif
