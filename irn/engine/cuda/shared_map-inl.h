// F(z) = f(A z + drive) for one sample that several threads share (shared_state-inl.h): thread r has the unknowns r, r + threads, ..., `rows` of
// them, with their rows of A and of the factors. Networks are padded to rows * threads neurons; what is added hears nothing and is not heard. Where the
// compiler knows that there are fewer neurons, `columns`, nothing is computed of the columns beyond.
//
// The factorisation is that of kernels/lu-inl.h, without pivots, row by row: the row that is done goes round, and every thread takes it out of its own.
#ifndef IRN_ENGINE_CUDA_SHARED_MAP_INL_H_
#define IRN_ENGINE_CUDA_SHARED_MAP_INL_H_

#include "irn/engine/cuda/device_text-inl.h"

namespace irn::plain {

// A thread's rows of A: read where they lie, in memory that all threads share,
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
// or taken into registers once, for those who need these for nothing else.
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

  // a: where entry (i, j) lies, see entry().
  IRN_FN SharedMap(const T* a, const V* drive, const Neurons& neurons)
      : a_(a), drive_(drive), neurons_(neurons) {}
  // The rows of one thread lie side by side, column by column.
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

  // L U = shift I - D A; reciprocals on U's diagonal.
  IRN_FN void factor(const V& shift) {
    const std::size_t rank = Share::rank();
    if constexpr (n < rows * threads) beyond_ = reciprocal(shift);
    IRN_UNROLL
    for (std::size_t j = 0; j < n; ++j) IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r)
      factors_[r][j] = neg_mul_add(slopes_[r], a_(r, j), unknown<V>(r) == j ? shift : V());
    IRN_UNROLL
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t owner = k % threads, slot = k / threads;
      const V inverse = reciprocal(Share::of(factors_[slot][k], owner));
      V lower[rows];
      IRN_UNROLL
      for (std::size_t r = slot; r < rows; ++r) {
        lower[r] = r > slot || rank > owner ? factors_[r][k] * inverse : V();
        if (r > slot || rank > owner) factors_[r][k] = lower[r];
      }
      IRN_UNROLL
      for (std::size_t j = k + 1; j < n; ++j) {
        const V upper = Share::of(factors_[slot][j], owner);
        IRN_UNROLL
        for (std::size_t r = slot; r < rows; ++r)
          factors_[r][j] = neg_mul_add(lower[r], upper, factors_[r][j]);
      }
      if (rank == owner) factors_[slot][k] = inverse;
    }
  }
  IRN_FN void solve(V* x) const {
    const std::size_t rank = Share::rank();
    if constexpr (n < rows * threads)
      if (unknown<V>(rows - 1) >= n) x[rows - 1] = x[rows - 1] * beyond_;
    IRN_UNROLL
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t owner = k % threads, slot = k / threads;
      const V found = Share::of(x[slot], owner);
      IRN_UNROLL
      for (std::size_t r = slot; r < rows; ++r)
        x[r] = neg_mul_add(r > slot || rank > owner ? factors_[r][k] : V(), found, x[r]);
    }
    IRN_UNROLL
    for (std::size_t back = 0; back < n; ++back) {
      const std::size_t k = n - 1 - back, owner = k % threads, slot = k / threads;
      if (rank == owner) x[slot] = x[slot] * factors_[slot][k];
      const V found = Share::of(x[slot], owner);
      IRN_UNROLL
      for (std::size_t r = 0; r <= slot; ++r)
        x[r] = neg_mul_add(r < slot || rank < owner ? factors_[r][k] : V(), found, x[r]);
    }
  }
  // 1 or -1, as kernels/lu-inl.h has it; not a number if a pivot is none.
  IRN_FN V determinant_sign() const {
    const V one(T(1));
    V sign = one;
    IRN_UNROLL
    for (std::size_t r = 0; r < rows; ++r) {
      const V pivot = diagonal(r);
      sign = sign * copy_sign(one, pivot) + (pivot - pivot);
    }
    return Share::together(sign, [](V a, V b) { return a * b; });
  }

 private:
  IRN_FN V diagonal(std::size_t r) const {
    V found;
    IRN_UNROLL
    for (std::size_t t = 0; t < threads; ++t)
      if (t == Share::rank() && r * threads + t < n) found = factors_[r][r * threads + t];
    return found;
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
  V slopes_[rows], factors_[rows][n];
  V beyond_;  // a factor of neurons that only pad
};

}  // namespace irn::plain

#endif
