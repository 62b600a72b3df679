// F(z) = f(A z + drive) for one sample that several threads share (shared_state-inl.h): thread r has the
// unknowns r, r + threads, ..., `rows` of them, with their rows of A and of an inverse. Networks are padded
// to rows * threads neurons; padding neither reads other neurons nor is read. If the compiler knows that
// there are fewer neurons, `columns`, nothing is computed for the columns beyond.
//
// Code that asks for factors gets the inverse, by Gauss-Jordan elimination in place and without pivots (the
// systems are benign). This takes three times the operations of factors. But a solve is then a product, in
// which no number waits for the one before it, as each does in a triangular solve. Each step sends a row to
// all threads and moves all columns one place to the left, so that all steps are the same few instructions:
// registers need indices that the compiler knows, and an unrolled loop over them would not fit into the
// instruction cache.
#ifndef IRN_ENGINE_CUDA_SHARED_MAP_INL_H_
#define IRN_ENGINE_CUDA_SHARED_MAP_INL_H_

#include "irn/engine/cuda/device_text-inl.h"

namespace irn::plain {

// A thread's rows of A, read from memory that all threads share.
template <class V>
struct RowsInMemory {
  using T = typename V::Scalar;
  static constexpr std::size_t rows = V::Size::value, threads = V::Share::threads;
  const T* a;
  IRN_FN explicit RowsInMemory(const T* matrix) : a(matrix) {}
  IRN_INLINE V operator()(std::size_t r, std::size_t j) const {
    return V(a[(j * threads + V::Share::rank()) * rows + r]);
  }
};
// The same, copied into registers once, for code that does not need these for anything else.
template <class V>
struct RowsInRegisters {
  using T = typename V::Scalar;
  static constexpr std::size_t rows = V::Size::value, n = rows * V::Share::threads;
  V a[rows][n];
  IRN_FN explicit RowsInRegisters(const T* matrix) {
    const RowsInMemory<V> from(matrix);
    IRN_UNROLL
    for (std::size_t j = 0; j < n; ++j) IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) a[r][j] = from(r, j);
  }
  IRN_INLINE V operator()(std::size_t r, std::size_t j) const { return a[r][j]; }
};

template <class V, class Neurons, class OwnRows = RowsInMemory<V>,
          std::size_t columns = V::Size::value * V::Share::threads>
class SharedMap {
 public:
  using T = typename V::Scalar;
  using Share = typename V::Share;
  static constexpr std::size_t rows = V::Size::value, threads = Share::threads, n = columns;
  static_assert(n > (rows - 1) * threads && n <= rows * threads);

  // a: entry (i, j) is at entry(i, j).
  IRN_FN SharedMap(const T* a, const V* drive, const Neurons& neurons)
      : a_(a), drive_(drive), neurons_(neurons) {}
  IRN_FN static constexpr std::size_t unknowns_in_all() { return n; }
  // The rows of one thread are side by side, column by column.
  IRN_FN static constexpr std::size_t entry(std::size_t i, std::size_t j) {
    return (j * threads + i % threads) * rows + i / threads;
  }

  IRN_FN void apply(const V* z, V* f) const {
    V sum[rows];
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) sum[r] = drive_[r];
    product(z, sum);
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) f[r] = neurons_.value(unknown<V>(r), sum[r]);
  }
  IRN_FN void retire(unsigned) {}
  IRN_FN void linearise(const V*, const V* f) {
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) slopes_[r] = neurons_.slope(unknown<V>(r), f[r]);
  }
  IRN_FN void jacobian_times(const V* v, V* out) const {
    V sum[rows];
    product(v, sum);
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) out[r] = slopes_[r] * sum[r];
  }

  // (shift I - D A)^-1
  IRN_FN void factor(const V& shift) {
    if constexpr (n < rows * threads) beyond_ = reciprocal(shift);
    sign_ = V(T(1));
    IRN_UNROLL
    for (std::size_t j = 0; j < n; ++j) IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r)
      inverse_[r][j] = neg_mul_add(slopes_[r], a_(r, j), unknown<V>(r) == j ? shift : V());
    IRN_UNROLL
    for (std::size_t slot = 0; slot < rows; ++slot) {
      const std::size_t left = n - slot * threads, count = left < threads ? left : threads;
      IRN_NO_UNROLL
      for (std::size_t owner = 0; owner < count; ++owner) eliminate(slot, owner);
    }
  }
  IRN_FN void solve(V* x) const {
    V found[rows];
    IRN_UNROLL
    for (std::size_t j = 0; j < n; ++j) {
      const V from = Share::of(x[j / threads], j % threads);
      IRN_UNROLL
      for (std::size_t r = 0; r < rows; ++r) found[r] = mul_add(inverse_[r][j], from, found[r]);
    }
    if constexpr (n < rows * threads)
      if (unknown<V>(rows - 1) >= n) found[rows - 1] = x[rows - 1] * beyond_;
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) x[r] = found[r];
  }
  // 1 or -1, as in kernels/lu-inl.h; NaN if a pivot is NaN.
  IRN_FN V determinant_sign() const { return sign_; }

 private:
  // The elimination step of unknown `slot` of thread `owner`. Its column is first before the step and last
  // after it.
  IRN_INLINE void eliminate(std::size_t slot, std::size_t owner) {
    const bool own = Share::rank() == owner;
    const V pivot = Share::of(inverse_[slot][0], owner), inverse = reciprocal(pivot);
    sign_ = sign_ * copy_sign(V(T(1)), pivot) + (pivot - pivot);
    V lower[rows];
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) lower[r] = r == slot && own ? -inverse : inverse_[r][0] * inverse;
    IRN_UNROLL
    for (std::size_t j = 1; j < n; ++j) {
      const V upper = Share::of(inverse_[slot][j], owner);
      IRN_UNROLL
      for (std::size_t r = 0; r < rows; ++r)
        inverse_[r][j - 1] = neg_mul_add(lower[r], upper, r == slot && own ? V() : inverse_[r][j]);
    }
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) inverse_[r][n - 1] = -lower[r];
  }
  // sum += A z
  IRN_FN void product(const V* z, V* sum) const {
    IRN_UNROLL
    for (std::size_t j = 0; j < n; ++j) {
      const V from = Share::of(z[j / threads], j % threads);
      IRN_UNROLL
      for (std::size_t r = 0; r < rows; ++r) sum[r] = mul_add(a_(r, j), from, sum[r]);
    }
  }

  OwnRows a_;
  const V* drive_;
  Neurons neurons_;
  V slopes_[rows], inverse_[rows][n], sign_;
  V beyond_;  // of padding
};

}  // namespace irn::plain

#endif
