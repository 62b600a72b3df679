// F(z) = f(A z + drive) for one sample that a warp or a block of threads shares, of any size: thread r has the unknowns r, r + threads, ... The
// matrix is read by all and may lie anywhere; the vector that it is multiplied with goes round through shared memory.
#ifndef IRN_ENGINE_CUDA_WIDE_MAP_INL_H_
#define IRN_ENGINE_CUDA_WIDE_MAP_INL_H_

#include "irn/engine/cuda/thread_map-inl.h"
//
#include <utility>

#include "irn/kernels/placed.h"

namespace irn::plain {

// What the driver of a search asks of a map, of one problem that is there from the first.
template <class V, std::size_t most_rows>
class WideMap {
 public:
  using T = typename V::Scalar;
  using Share = typename V::Share;

  // a: entry (i, j) at j * size + i, where size = rows * threads; `vector`: `size` numbers that the sample's threads share. Entries of `drive` and
  // `start` are the thread's own.
  IRN_FN WideMap(std::size_t rows, std::size_t neurons, const T* a, T* vector, const V* drive, const V* start,
                 const Activation* kinds)
      : rows_(rows), neurons_(neurons), a_(a), vector_(vector), drive_(drive), start_(start), kind_(kinds) {}

  IRN_FN void load(std::span<const Placed>, V* z, V* f) {
    for (std::size_t r = 0; r < rows_; ++r) z[r] = start_[r];
    apply(z, f);
  }
  IRN_FN void load_group(std::size_t, std::size_t, V* z, V* f) { load({}, z, f); }
  IRN_FN void resume(std::span<const Placed>) {}
  IRN_FN void retire(unsigned) {}
  IRN_FN void linearise_at(std::span<const std::size_t>, const V* z) { linearise(z, z); }

  IRN_FN void apply(const V* z, V* f) const {
    V sum[most_rows];
    product(z, sum);
    for (std::size_t r = 0; r < rows_; ++r) f[r] = kind_.value(unknown<V>(r), sum[r] + drive_[r]);
  }
  IRN_FN void linearise(const V*, const V* f) {
    for (std::size_t r = 0; r < rows_; ++r) slopes_[r] = kind_.slope(unknown<V>(r), f[r]);
  }
  IRN_FN void jacobian_times(const V* v, V* out) const {
    V sum[most_rows];
    product(v, sum);
    for (std::size_t r = 0; r < rows_; ++r) out[r] = slopes_[r] * sum[r];
  }

 private:
  // out = A z. How many rows a thread has is known to the compiler where it counts.
  IRN_NOINLINE void product(const V* z, V* out) const {
    Share::meet();  // the vector before has been read
    for (std::size_t r = 0; r < rows_; ++r) vector_[unknown<V>(r)] = z[r].v;
    Share::meet();
    product_of_rows(out, std::make_index_sequence<most_rows>());
  }
  template <std::size_t... r>
  IRN_FN void product_of_rows(V* out, std::index_sequence<r...>) const {
    ((rows_ == r + 1 ? product_of<r + 1>(out) : void()), ...);
  }
  template <std::size_t rows>
  IRN_FN void product_of(V* out) const {
    const std::size_t size = rows * Share::threads;
    const T* column = a_ + Share::rank();
    V sum[rows];
    for (std::size_t j = 0; j < neurons_; ++j, column += size) {
      const V from(vector_[j]);
      IRN_UNROLL
      for (std::size_t r = 0; r < rows; ++r) sum[r] = mul_add(V(column[r * Share::threads]), from, sum[r]);
    }
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) out[r] = sum[r];
  }

  std::size_t rows_, neurons_;
  const T* a_;
  T* vector_;
  const V *drive_, *start_;
  MixedNeurons<V> kind_;
  V slopes_[most_rows];
};

}  // namespace irn::plain

#endif
