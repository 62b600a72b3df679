// M = L U for one small matrix in each lane, and the triangular solves, for all lanes at once.
//
// There is no pivoting: lanes would need different rows, and the matrices of the solvers, (1 + 1/h) I - D A,
// are benign while h follows the dynamics. Code that factors I - D A itself must check the residual of the
// solution (gradient/ does).
//
// Work is cut into 4 x 4 blocks that stay in 16 registers, with 8 loads for 16 multiply-adds. So the
// factorisation is bound by arithmetic and not by the first-level cache, which a 22 x 22 matrix of lanes,
// 31 KB, already fills.
//
// Layout: row-major; the diagonal holds the reciprocals of the diagonal of U.
#if defined(IRN_KERNELS_LU_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_KERNELS_LU_INL_H_
#undef IRN_KERNELS_LU_INL_H_
#else
#define IRN_KERNELS_LU_INL_H_
#endif

#include "irn/kernels/lanes-inl.h"

// With a sanitizer, a factorisation inlined into one function takes minutes to compile.
#ifndef IRN_TILE
#ifdef IRN_FEW_TARGETS
#define IRN_TILE IRN_NOINLINE
#else
#define IRN_TILE IRN_INLINE
#endif
#endif

IRN_LANES_BEGIN

inline constexpr std::size_t lu_block = 4;

template <class V>
struct LaneMatrix {  // passed by value, so that its members are in registers
  V* data;
  std::size_t n;
  IRN_INLINE V& operator()(std::size_t i, std::size_t j) const { return data[i * n + j]; }
};

// The tile  source(i, j) - sum_{k < depth} L_ik U_kj  of RI x RJ entries from (i, j) on.
template <class V, std::size_t RI, std::size_t RJ, class Source>
IRN_INLINE void load_tile(LaneMatrix<V> m, const Source& source, std::size_t i, std::size_t j,
                          std::size_t depth, V (&tile)[RI][RJ]) {
  IRN_UNROLL
  for (std::size_t r = 0; r < RI; ++r) IRN_UNROLL
  for (std::size_t s = 0; s < RJ; ++s) tile[r][s] = source(i + r, j + s);
  const V* upper = &m(0, j);
  const V* lower = &m(i, 0);
  for (std::size_t k = 0; k < depth; ++k, upper += m.n, ++lower) {
    V u[RJ];
    IRN_UNROLL
    for (std::size_t s = 0; s < RJ; ++s) u[s] = upper[s];
    IRN_UNROLL
    for (std::size_t r = 0; r < RI; ++r) {
      const V l = lower[r * m.n];
      IRN_UNROLL
      for (std::size_t s = 0; s < RJ; ++s) tile[r][s] = neg_mul_add(l, u[s], tile[r][s]);
    }
  }
}

template <class V, std::size_t RI, std::size_t RJ>
IRN_INLINE void store_tile(LaneMatrix<V> m, std::size_t i, std::size_t j, const V (&tile)[RI][RJ]) {
  IRN_UNROLL
  for (std::size_t r = 0; r < RI; ++r) IRN_UNROLL
  for (std::size_t s = 0; s < RJ; ++s) m(i + r, j + s) = tile[r][s];
}

template <class V, std::size_t R, class Source>
IRN_TILE void factor_diagonal(LaneMatrix<V> m, const Source& source, std::size_t i) {
  V tile[R][R];
  load_tile<V, R, R>(m, source, i, i, i, tile);
  IRN_UNROLL
  for (std::size_t k = 0; k < R; ++k) {
    const V inverse = reciprocal(tile[k][k]);
    tile[k][k] = inverse;
    IRN_UNROLL
    for (std::size_t r = k + 1; r < R; ++r) {
      tile[r][k] = tile[r][k] * inverse;
      IRN_UNROLL
      for (std::size_t s = k + 1; s < R; ++s) tile[r][s] = neg_mul_add(tile[r][k], tile[k][s], tile[r][s]);
    }
  }
  store_tile<V, R, R>(m, i, i, tile);
}

// Right of the diagonal: U_ij = L_ii^-1 tile.
template <class V, std::size_t RI, std::size_t RJ, class Source>
IRN_TILE void factor_upper(LaneMatrix<V> m, const Source& source, std::size_t i, std::size_t j) {
  V tile[RI][RJ];
  load_tile<V, RI, RJ>(m, source, i, j, i, tile);
  IRN_UNROLL
  for (std::size_t k = 0; k < RI; ++k) IRN_UNROLL
  for (std::size_t r = k + 1; r < RI; ++r) {
    const V l = m(i + r, i + k);
    IRN_UNROLL
    for (std::size_t s = 0; s < RJ; ++s) tile[r][s] = neg_mul_add(l, tile[k][s], tile[r][s]);
  }
  store_tile<V, RI, RJ>(m, i, j, tile);
}

// Below the diagonal: L_ij = tile U_jj^-1.
template <class V, std::size_t RI, std::size_t RJ, class Source>
IRN_TILE void factor_lower(LaneMatrix<V> m, const Source& source, std::size_t i, std::size_t j) {
  V tile[RI][RJ];
  load_tile<V, RI, RJ>(m, source, i, j, j, tile);
  IRN_UNROLL
  for (std::size_t k = 0; k < RJ; ++k) {
    const V inverse = m(j + k, j + k);
    IRN_UNROLL
    for (std::size_t r = 0; r < RI; ++r) tile[r][k] = tile[r][k] * inverse;
    IRN_UNROLL
    for (std::size_t s = k + 1; s < RJ; ++s) {
      const V u = m(j + k, j + s);
      IRN_UNROLL
      for (std::size_t r = 0; r < RI; ++r) tile[r][s] = neg_mul_add(tile[r][k], u, tile[r][s]);
    }
  }
  store_tile<V, RI, RJ>(m, i, j, tile);
}

// The last block has R = 1..4 rows; all others have 4.
template <class V, std::size_t R, class Source>
IRN_INLINE void factor_blocks(LaneMatrix<V> m, const Source& source) {
  constexpr std::size_t b = lu_block;
  const std::size_t last = m.n - R;
  for (std::size_t s = 0; s < last; s += b) {
    factor_diagonal<V, b>(m, source, s);
    for (std::size_t j = s + b; j < last; j += b) factor_upper<V, b, b>(m, source, s, j);
    factor_upper<V, b, R>(m, source, s, last);
    for (std::size_t i = s + b; i < last; i += b) factor_lower<V, b, b>(m, source, i, s);
    factor_lower<V, R, b>(m, source, last, s);
  }
  factor_diagonal<V, R>(m, source, last);
}

template <class V, std::size_t R, class Source>
IRN_NOINLINE void factor_with_rest(LaneMatrix<V> m, const Source& source) {
  factor_blocks<V, R>(m, source);
}
// A small matrix of a size known at compile time.
template <class V, std::size_t N, class Source>
IRN_NOINLINE void factor_whole(V* data, const Source& source) {
  factor_blocks<V, N - lu_block>(LaneMatrix<V>{data, N}, source);
}

// Factors the matrix whose entries are source(i, j); `m` receives the factors.
template <class V, class Source>
IRN_INLINE void factor(LaneMatrix<V> m, const Source& source) {
  switch (m.n) {
    case 5:
      return factor_whole<V, 5>(m.data, source);
    case 6:
      return factor_whole<V, 6>(m.data, source);
    case 7:
      return factor_whole<V, 7>(m.data, source);
    case 8:
      return factor_whole<V, 8>(m.data, source);
  }
  switch (m.n % lu_block) {
    case 1:
      return factor_with_rest<V, 1>(m, source);
    case 2:
      return factor_with_rest<V, 2>(m, source);
    case 3:
      return factor_with_rest<V, 3>(m, source);
    default:
      return factor_with_rest<V, lu_block>(m, source);
  }
}

// An entry as a triangular solve reads it. Plain: L, then U. Transposed: U^T, then L^T, the same loops over
// the mirrored matrix with the unit diagonal in the other factor.
template <class V, bool transposed>
IRN_INLINE V factor_entry(LaneMatrix<V> m, std::size_t i, std::size_t j) {
  return transposed ? m(j, i) : m(i, j);
}

// Solves the R x R triangle of the unknowns from i on.
//   descending: from the last to the first (upper triangle).
template <class V, std::size_t R, bool transposed, bool descending>
IRN_INLINE void solve_triangle(LaneMatrix<V> m, std::size_t i, V (&found)[R]) {
  constexpr bool unit = transposed == descending;  // L (first in the plain solve, last in the transposed)
  IRN_UNROLL
  for (std::size_t step = 0; step < R; ++step) {
    const std::size_t k = descending ? R - 1 - step : step;
    if (!unit) found[k] = found[k] * m(i + k, i + k);
    IRN_UNROLL
    for (std::size_t rest = step + 1; rest < R; ++rest) {
      const std::size_t r = descending ? R - 1 - rest : rest;
      found[r] = neg_mul_add(factor_entry<V, transposed>(m, i + r, i + k), found[k], found[r]);
    }
  }
}

// Solves for R unknowns from i on and subtracts their terms from the rows from `begin` to `end`.
template <class V, std::size_t R, bool transposed, bool descending>
IRN_TILE void solve_block(LaneMatrix<V> m, V* x, std::size_t i, std::size_t begin, std::size_t end) {
  V found[R];
  IRN_UNROLL
  for (std::size_t r = 0; r < R; ++r) found[r] = x[i + r];
  solve_triangle<V, R, transposed, descending>(m, i, found);
  IRN_UNROLL
  for (std::size_t r = 0; r < R; ++r) x[i + r] = found[r];
  // The nearest rows first: the next block waits for them.
  const std::size_t next_unknown = transposed ? m.n : 1;
  for (std::size_t k = 0; k < end - begin; ++k) {
    const std::size_t row = descending ? end - 1 - k : begin + k;
    const V* entry = transposed ? &m(i, row) : &m(row, i);
    V value = x[row];
    IRN_UNROLL
    for (std::size_t r = 0; r < R; ++r) value = neg_mul_add(entry[r * next_unknown], found[r], value);
    x[row] = value;
  }
}

template <class V, std::size_t R, bool transposed>
IRN_INLINE void solve_with_rest(LaneMatrix<V> m, V* x) {
  constexpr std::size_t b = lu_block;
  const std::size_t last = m.n - R;
  for (std::size_t i = 0; i < last; i += b) solve_block<V, b, transposed, false>(m, x, i, i + b, m.n);
  solve_block<V, R, transposed, false>(m, x, last, 0, 0);
  solve_block<V, R, transposed, true>(m, x, last, 0, last);
  for (std::size_t i = last; i >= b; i -= b) solve_block<V, b, transposed, true>(m, x, i - b, 0, i - b);
}

// The R unknowns of a small matrix, all in registers.
template <class V, std::size_t R, bool transposed>
IRN_TILE void solve_whole(V* data, V* x) {
  const LaneMatrix<V> m{data, R};
  V found[R];
  IRN_UNROLL
  for (std::size_t r = 0; r < R; ++r) found[r] = x[r];
  solve_triangle<V, R, transposed, false>(m, 0, found);
  solve_triangle<V, R, transposed, true>(m, 0, found);
  IRN_UNROLL
  for (std::size_t r = 0; r < R; ++r) x[r] = found[r];
}

// x = M^-1 x, or M^-T x.
template <class V, bool transposed>
IRN_NOINLINE void solve(LaneMatrix<V> m, V* x) {
  switch (m.n) {
    case 5:
      return solve_whole<V, 5, transposed>(m.data, x);
    case 6:
      return solve_whole<V, 6, transposed>(m.data, x);
    case 7:
      return solve_whole<V, 7, transposed>(m.data, x);
    case 8:
      return solve_whole<V, 8, transposed>(m.data, x);
  }
  switch (m.n % lu_block) {
    case 1:
      return solve_with_rest<V, 1, transposed>(m, x);
    case 2:
      return solve_with_rest<V, 2, transposed>(m, x);
    case 3:
      return solve_with_rest<V, 3, transposed>(m, x);
    default:
      return solve_with_rest<V, lu_block, transposed>(m, x);
  }
}

// 1 or -1: the sign of the determinant, that is, of the product of U's diagonal. NaN if a pivot is 0 or NaN.
template <class V>
IRN_INLINE V determinant_sign(LaneMatrix<V> m) {
  const V one(typename V::Scalar(1));
  V sign = one;
  for (std::size_t i = 0; i < m.n; ++i) sign = sign * copy_sign(one, m(i, i)) + (m(i, i) - m(i, i));
  return sign;
}

#define IRN_SOLVE(V)                                            \
  extern template void solve<V, false>(LaneMatrix<V> m, V * x); \
  extern template void solve<V, true>(LaneMatrix<V> m, V * x);
IRN_FOR_LANES(IRN_SOLVE)
#undef IRN_SOLVE

IRN_LANES_END

#endif
