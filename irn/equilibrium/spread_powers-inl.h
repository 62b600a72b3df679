// The powers of KrylovAttraction (attraction-inl.h) where threads share a state: they also share its small
// matrix, one row or some rows for each thread. Each `rows` threads of a warp, or all if they are fewer,
// compute the same.
//   M = shift I - H, inverted in place (Gauss-Jordan, without pivots: M is benign)
//   C = (2 / h) M^-1 - I,   C^2, C^4, ...
#if defined(IRN_EQUILIBRIUM_SPREAD_POWERS_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_SPREAD_POWERS_INL_H_
#undef IRN_EQUILIBRIUM_SPREAD_POWERS_INL_H_
#else
#define IRN_EQUILIBRIUM_SPREAD_POWERS_INL_H_
#endif

#include "irn/kernels/lanes-inl.h"

IRN_LANES_BEGIN

template <class V>
inline constexpr bool shares_state = false;
template <class V>
  requires(V::Share::threads > 1)
inline constexpr bool shares_state<V> = true;

// H: k rows, at most `rows`; entry (i, j) is at h[j * stride + i], zero below i = j + 1. Rows of C beyond the
// k-th are zero.
template <class V, std::size_t rows>
class SpreadPowers {
 public:
  using W = typename V::template Spread<rows>;
  using T = typename W::Scalar;
  using Mask = typename W::Mask;

  IRN_FN SpreadPowers(const V* h, std::size_t k, std::size_t stride, T shift, T length) {
    IRN_UNROLL
    for (std::size_t r = 0; r < here; ++r) IRN_UNROLL
    for (std::size_t j = 0; j < rows; ++j) {
      const std::size_t i = unknown<W>(r);
      const bool there = i < k && j < k && i <= j + 1;
      c_[r][j] = W((i == j ? shift : T(0)) - (there ? h[j * stride + i].v : T(0)));
    }
    invert();
    IRN_UNROLL
    for (std::size_t r = 0; r < here; ++r) IRN_UNROLL
    for (std::size_t j = 0; j < rows; ++j) {
      const std::size_t i = unknown<W>(r);
      const W inside = mul_add(W(T(2) / length), c_[r][j], i == j ? W(T(-1)) : W());
      c_[r][j] = i < k && j < k ? inside : W();
    }
  }

  IRN_FN W norm() const {  // the largest row sum
    W most;
    IRN_UNROLL
    for (std::size_t r = 0; r < here; ++r) {
      W sum;
      IRN_UNROLL
      for (std::size_t j = 0; j < rows; ++j) sum = sum + abs(c_[r][j]);
      most = max(most, sum);
    }
    return largest_of_all(most);
  }

  IRN_FN void square() {
    W next[here][rows];
    IRN_UNROLL
    for (std::size_t k = 0; k < rows; ++k) IRN_UNROLL
    for (std::size_t j = 0; j < rows; ++j) {
      const W of_row = Share::of(c_[k / threads][j], k % threads);
      IRN_UNROLL
      for (std::size_t r = 0; r < here; ++r) next[r][j] = mul_add(c_[r][k], of_row, next[r][j]);
    }
    IRN_UNROLL
    for (std::size_t r = 0; r < here; ++r) IRN_UNROLL
    for (std::size_t j = 0; j < rows; ++j) c_[r][j] = next[r][j];
  }

 private:
  using Share = typename W::Share;
  static constexpr std::size_t here = W::Size::value, threads = Share::threads;
  static_assert(here * threads == rows);

  IRN_FN void invert() {
    IRN_UNROLL
    for (std::size_t p = 0; p < rows; ++p) {
      const std::size_t owner = p % threads, slot = p / threads;
      const W inverse = reciprocal(Share::of(c_[slot][p], owner));
      W pivot[rows];
      IRN_UNROLL
      for (std::size_t j = 0; j < rows; ++j)
        pivot[j] = j == p ? inverse : Share::of(c_[slot][j], owner) * inverse;
      IRN_UNROLL
      for (std::size_t r = 0; r < here; ++r) {
        const W from = c_[r][p];
        const bool own = r == slot && Share::rank() == owner;
        IRN_UNROLL
        for (std::size_t j = 0; j < rows; ++j) {
          const W other = j == p ? -(from * inverse) : neg_mul_add(from, pivot[j], c_[r][j]);
          c_[r][j] = own ? pivot[j] : other;
        }
      }
    }
  }

  W c_[here][rows];
};

IRN_LANES_END

#endif
