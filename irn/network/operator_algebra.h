// The matrix of an operator, its gradient and bounds of its rows, from its factors in plain loops. The
// kernels multiply states (packed.h, chain_product-inl.h).
#pragma once

#include <cstddef>
#include <vector>

#include "irn/network/architecture.h"

namespace irn {

// Calls visit(row, column, entry) for the entries of a convolution factor with numbers w, except those that
// are always 0.
template <class T, class Visit>
void for_each_entry(const Factor& f, const T* w, const Visit& visit) {
  for_each_tap(f.convolution, [&](std::size_t out, std::size_t in, std::size_t number) {
    const T entry = f.every_number != 0 ? static_cast<T>(f.every_number) : w[number];
    f.flipped ? visit(in, out, entry) : visit(out, in, entry);
  });
}

// Writes the matrix W of a block into rows of `stride` entries. Blocks that are not dense are multiplied out:
// for small networks and reference code.
template <class T>
void write_dense(const Block& block, const T* numbers, T* out, std::size_t stride);

// W, row-major, multiplied out in double precision whatever the precision of its numbers, with a bound of
// each entry's error. A dense block is exact.
struct DenseBlock {
  std::vector<double> entries;
  std::vector<double> errors;  // empty: none
};
template <class T>
DenseBlock dense_in_double(const Block& block, const T* numbers);

// gradient = sum over samples s of dL/d(numbers), where dL/d(W v_s) is u_s: of W = F_k ... F_1, factor j has
//   ((F_k ... F_{j+1})^T u_s) ((F_{j-1} ... F_1) v_s)^T
// Samples are summed in ascending order. For blocks without a faster way: gradients of dense blocks are sums
// of outer products (kernels/outer.h), those of convolutions are sums over places (kernels/convolution.h).
template <class T>
void sum_gradient(const Block& block, const T* numbers, std::size_t samples, const T* u, std::size_t u_stride,
                  const T* v, std::size_t v_stride, T* gradient);

// For each row i of W: w_ii (0 beyond the columns), and an upper bound of the sum of |w_ij| over all other j,
// which is exact for one factor. The caller's own operators are multiplied out.
struct RowBounds {
  std::vector<double> diagonal, others;
};
template <class T>
RowBounds row_bounds(const Block& block, const T* numbers);

}  // namespace irn
