// M = L U for one small matrix a lane, and the triangular solves, all lanes in step.
//
// No pivoting: lanes would want different rows, and the matrices of our solvers, (1 + 1/h) I - D A, are benign while
// h follows the dynamics. Whoever factors I - D A itself checks the residual of what comes out (gradient/ does).
//
// Work is cut into 4 x 4 blocks that stay in 16 registers: 8 loads a 16 multiply-adds, so the factorisation is bound by
// arithmetic and not by the first-level cache, which a 22 x 22 matrix of lanes (31 KB) already fills.
//
// Layout: entry (i, j) is the Lanes at m + (i * n + j) * width; the diagonal holds the reciprocals of U's.
#if defined(IRN_KERNELS_LU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_KERNELS_LU_INL_H_
#undef IRN_KERNELS_LU_INL_H_
#else
#define IRN_KERNELS_LU_INL_H_
#endif

#include "irn/kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

inline constexpr std::size_t lu_block = 4;

template <class T>
struct LaneMatrix {
  T* data;
  std::size_t n;
  HWY_INLINE T* at(std::size_t i, std::size_t j) const { return data + (i * n + j) * Lanes<T>::width; }
  HWY_INLINE Lanes<T> operator()(std::size_t i, std::size_t j) const { return Lanes<T>::load(at(i, j)); }
};

// The tile  source(i, j) - sum_{k < depth} L_ik U_kj  of RI x RJ entries from (i, j) on.
template <class T, std::size_t RI, std::size_t RJ, class Source>
HWY_INLINE void load_tile(const LaneMatrix<T>& m, const Source& source, std::size_t i, std::size_t j, std::size_t depth,
                          Lanes<T> (&tile)[RI][RJ]) {
  IRN_UNROLL
  for (std::size_t r = 0; r < RI; ++r)
    IRN_UNROLL
    for (std::size_t s = 0; s < RJ; ++s) tile[r][s] = source(i + r, j + s);
  for (std::size_t k = 0; k < depth; ++k) {
    Lanes<T> u[RJ];
    IRN_UNROLL
    for (std::size_t s = 0; s < RJ; ++s) u[s] = m(k, j + s);
    IRN_UNROLL
    for (std::size_t r = 0; r < RI; ++r) {
      const Lanes<T> l = m(i + r, k);
      IRN_UNROLL
      for (std::size_t s = 0; s < RJ; ++s) tile[r][s] = neg_mul_add(l, u[s], tile[r][s]);
    }
  }
}

template <class T, std::size_t RI, std::size_t RJ>
HWY_INLINE void store_tile(const LaneMatrix<T>& m, std::size_t i, std::size_t j, const Lanes<T> (&tile)[RI][RJ]) {
  IRN_UNROLL
  for (std::size_t r = 0; r < RI; ++r)
    IRN_UNROLL
    for (std::size_t s = 0; s < RJ; ++s) tile[r][s].store(m.at(i + r, j + s));
}

template <class T, std::size_t R, class Source>
HWY_INLINE void factor_diagonal(const LaneMatrix<T>& m, const Source& source, std::size_t i) {
  Lanes<T> tile[R][R];
  load_tile<T, R, R>(m, source, i, i, i, tile);
  IRN_UNROLL
  for (std::size_t k = 0; k < R; ++k) {
    const Lanes<T> inverse = reciprocal(tile[k][k]);
    tile[k][k] = inverse;
    IRN_UNROLL
    for (std::size_t r = k + 1; r < R; ++r) {
      tile[r][k] = tile[r][k] * inverse;
      IRN_UNROLL
      for (std::size_t s = k + 1; s < R; ++s) tile[r][s] = neg_mul_add(tile[r][k], tile[k][s], tile[r][s]);
    }
  }
  store_tile<T, R, R>(m, i, i, tile);
}

// Right of the diagonal: U_ij = L_ii^-1 tile.
template <class T, std::size_t RI, std::size_t RJ, class Source>
HWY_INLINE void factor_upper(const LaneMatrix<T>& m, const Source& source, std::size_t i, std::size_t j) {
  Lanes<T> tile[RI][RJ];
  load_tile<T, RI, RJ>(m, source, i, j, i, tile);
  IRN_UNROLL
  for (std::size_t k = 0; k < RI; ++k)
    IRN_UNROLL
    for (std::size_t r = k + 1; r < RI; ++r) {
      const Lanes<T> l = m(i + r, i + k);
      IRN_UNROLL
      for (std::size_t s = 0; s < RJ; ++s) tile[r][s] = neg_mul_add(l, tile[k][s], tile[r][s]);
    }
  store_tile<T, RI, RJ>(m, i, j, tile);
}

// Below the diagonal: L_ij = tile U_jj^-1.
template <class T, std::size_t RI, std::size_t RJ, class Source>
HWY_INLINE void factor_lower(const LaneMatrix<T>& m, const Source& source, std::size_t i, std::size_t j) {
  Lanes<T> tile[RI][RJ];
  load_tile<T, RI, RJ>(m, source, i, j, j, tile);
  IRN_UNROLL
  for (std::size_t k = 0; k < RJ; ++k) {
    const Lanes<T> inverse = m(j + k, j + k);
    IRN_UNROLL
    for (std::size_t r = 0; r < RI; ++r) tile[r][k] = tile[r][k] * inverse;
    IRN_UNROLL
    for (std::size_t s = k + 1; s < RJ; ++s) {
      const Lanes<T> u = m(j + k, j + s);
      IRN_UNROLL
      for (std::size_t r = 0; r < RI; ++r) tile[r][s] = neg_mul_add(tile[r][k], u, tile[r][s]);
    }
  }
  store_tile<T, RI, RJ>(m, i, j, tile);
}

// The last block has R = 1..4 rows; everything before it has 4.
template <class T, std::size_t R, class Source>
HWY_NOINLINE void factor_with_rest(const LaneMatrix<T>& m, const Source& source) {
  constexpr std::size_t b = lu_block;
  const std::size_t last = m.n - R;
  for (std::size_t s = 0; s < last; s += b) {
    factor_diagonal<T, b>(m, source, s);
    for (std::size_t j = s + b; j < last; j += b) factor_upper<T, b, b>(m, source, s, j);
    factor_upper<T, b, R>(m, source, s, last);
    for (std::size_t i = s + b; i < last; i += b) factor_lower<T, b, b>(m, source, i, s);
    factor_lower<T, R, b>(m, source, last, s);
  }
  factor_diagonal<T, R>(m, source, last);
}

// Factors the matrix whose entries are source(i, j); `m` receives the factors.
template <class T, class Source>
HWY_INLINE void factor(const LaneMatrix<T>& m, const Source& source) {
  switch (m.n % lu_block) {
    case 1: return factor_with_rest<T, 1>(m, source);
    case 2: return factor_with_rest<T, 2>(m, source);
    case 3: return factor_with_rest<T, 3>(m, source);
    default: return factor_with_rest<T, lu_block>(m, source);
  }
}

// How a triangular solve reads the factors. Plain: L then U. Transposed: U^T then L^T, the same walk over the
// mirrored matrix with the unit diagonal in the other factor.
template <class T, bool transposed>
HWY_INLINE Lanes<T> factor_entry(const LaneMatrix<T>& m, std::size_t i, std::size_t j) {
  return transposed ? m(j, i) : m(i, j);
}

// Solves for R unknowns from i on and takes them out of the rows from `begin` to `end`.
//   descending: the unknowns of the block are found last to first (upper triangle).
template <class T, std::size_t R, bool transposed, bool descending>
HWY_INLINE void solve_block(const LaneMatrix<T>& m, T* x, std::size_t i, std::size_t begin, std::size_t end) {
  constexpr std::size_t width = Lanes<T>::width;
  constexpr bool unit = transposed == descending;  // L (first in the plain solve, last in the transposed)
  Lanes<T> found[R];
  IRN_UNROLL
  for (std::size_t r = 0; r < R; ++r) found[r] = Lanes<T>::load(x + (i + r) * width);
  IRN_UNROLL
  for (std::size_t step = 0; step < R; ++step) {
    const std::size_t k = descending ? R - 1 - step : step;
    if (!unit) found[k] = found[k] * m(i + k, i + k);
    IRN_UNROLL
    for (std::size_t rest = step + 1; rest < R; ++rest) {
      const std::size_t r = descending ? R - 1 - rest : rest;
      found[r] = neg_mul_add(factor_entry<T, transposed>(m, i + r, i + k), found[k], found[r]);
    }
  }
  IRN_UNROLL
  for (std::size_t r = 0; r < R; ++r) found[r].store(x + (i + r) * width);
  for (std::size_t row = begin; row < end; ++row) {
    Lanes<T> value = Lanes<T>::load(x + row * width);
    IRN_UNROLL
    for (std::size_t r = 0; r < R; ++r)
      value = neg_mul_add(factor_entry<T, transposed>(m, row, i + r), found[r], value);
    value.store(x + row * width);
  }
}

template <class T, std::size_t R, bool transposed>
HWY_NOINLINE void solve_with_rest(const LaneMatrix<T>& m, T* x) {
  constexpr std::size_t b = lu_block;
  const std::size_t last = m.n - R;
  for (std::size_t i = 0; i < last; i += b) solve_block<T, b, transposed, false>(m, x, i, i + b, m.n);
  solve_block<T, R, transposed, false>(m, x, last, 0, 0);
  solve_block<T, R, transposed, true>(m, x, last, 0, last);
  for (std::size_t i = last; i >= b; i -= b) solve_block<T, b, transposed, true>(m, x, i - b, 0, i - b);
}

// x = M^-1 x, or M^-T x.
template <class T, bool transposed>
HWY_INLINE void solve(const LaneMatrix<T>& m, T* x) {
  switch (m.n % lu_block) {
    case 1: return solve_with_rest<T, 1, transposed>(m, x);
    case 2: return solve_with_rest<T, 2, transposed>(m, x);
    case 3: return solve_with_rest<T, 3, transposed>(m, x);
    default: return solve_with_rest<T, lu_block, transposed>(m, x);
  }
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
