// F(z) = f(A z + drive) for one sample of any size that a warp or a block of threads shares: thread r has the
// unknowns r, r + threads, ... All threads read the matrix, which may be anywhere. The vector that it
// multiplies goes through shared memory (OwnProduct), or blocks multiply for all samples together
// (grid_product-inl.h).
#ifndef IRN_ENGINE_CUDA_WIDE_MAP_INL_H_
#define IRN_ENGINE_CUDA_WIDE_MAP_INL_H_

#include "irn/engine/cuda/thread_map-inl.h"
//
#include <utility>

#include "irn/kernels/placed.h"

namespace irn::plain {

// A v by the sample's own threads. a: entry (i, j) is at j * size + i, where size = rows * threads; `vector`:
// `size` numbers that the sample's threads share.
// threads share.
template <class V, std::size_t most_rows>
class OwnProduct {
 public:
  using T = typename V::Scalar;
  using Share = typename V::Share;
  IRN_FN OwnProduct(std::size_t neurons, const T* a, T* vector) : neurons_(neurons), a_(a), vector_(vector) {}

  // Where it matters, the compiler knows how many rows a thread has.
  IRN_NOINLINE void multiply(const V* z, V* out, std::size_t rows) const {
    Share::meet();  // the vector before has been read
    for (std::size_t r = 0; r < rows; ++r) vector_[unknown<V>(r)] = z[r].v;
    Share::meet();
    product_of_rows(out, rows, std::make_index_sequence<most_rows>());
  }

 private:
  template <std::size_t... r>
  IRN_FN void product_of_rows(V* out, std::size_t rows, std::index_sequence<r...>) const {
    ((rows == r + 1 ? product_of<r + 1>(out) : void()), ...);
  }
  template <std::size_t rows>
  IRN_FN void product_of(V* out) const {
    const std::size_t size = rows * Share::threads;
    const T* column = a_ + Share::rank();
    constexpr std::size_t at_once = 4;  // columns that are read before the first is needed
    V sum[rows];
    std::size_t j = 0;
    for (; j + at_once <= neurons_; j += at_once, column += at_once * size) IRN_UNROLL
    for (std::size_t c = 0; c < at_once; ++c) add_column<rows>(column + c * size, j + c, sum);
    for (; j < neurons_; ++j, column += size) add_column<rows>(column, j, sum);
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) out[r] = sum[r];
  }

  template <std::size_t rows>
  IRN_INLINE void add_column(const T* column, std::size_t j, V* sum) const {
    const V from(vector_[j]);
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) sum[r] = mul_add(V(column[r * Share::threads]), from, sum[r]);
  }

  std::size_t neurons_;
  const T* a_;
  T* vector_;
};

// The map that the driver of a search works with, for a single problem that is there from the start. Product:
// what multiplies by A. Not inlined: a search calls it from a dozen places, and would wait for its
// instructions if they did not fit into the cache.
// a dozen places, and waits for its instructions where they do not fit the cache.
template <class V, std::size_t most_rows, class Product = OwnProduct<V, most_rows>>
class WideMap {
 public:
  using T = typename V::Scalar;

  // Entries of `drive` and `start` are the thread's own.
  IRN_FN WideMap(std::size_t rows, Product& product, const V* drive, const V* start, const Activation* kinds)
      : rows_(rows), product_(product), drive_(drive), start_(start), kind_(kinds) {}

  IRN_NOINLINE void load(std::span<const Placed>, V* z, V* f) {
    for (std::size_t r = 0; r < rows_; ++r) z[r] = start_[r];
    apply(z, f);
  }
  IRN_FN void load_group(std::size_t, std::size_t, V* z, V* f) { load({}, z, f); }
  IRN_FN void resume(std::span<const Placed>) {}
  IRN_FN void retire(unsigned) {}
  IRN_FN void linearise_at(std::span<const std::size_t>, const V* z) { linearise(z, z); }

  IRN_NOINLINE void apply(const V* z, V* f) const {
    V sum[most_rows];
    product_.multiply(z, sum, rows_);
    for (std::size_t r = 0; r < rows_; ++r) f[r] = kind_.value(unknown<V>(r), sum[r] + drive_[r]);
  }
  IRN_NOINLINE void linearise(const V*, const V* f) {
    for (std::size_t r = 0; r < rows_; ++r) slopes_[r] = kind_.slope(unknown<V>(r), f[r]);
  }
  IRN_NOINLINE void jacobian_times(const V* v, V* out) const {
    V sum[most_rows];
    product_.multiply(v, sum, rows_);
    for (std::size_t r = 0; r < rows_; ++r) out[r] = slopes_[r] * sum[r];
  }

 private:
  std::size_t rows_;
  Product& product_;
  const V *drive_, *start_;
  MixedNeurons<V> kind_;
  V slopes_[most_rows];
};

}  // namespace irn::plain

#endif
