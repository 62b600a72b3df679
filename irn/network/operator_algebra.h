// What follows from the factors of an operator, in plain loops: its matrix, its gradient, bounds of its rows. Products with states are the
// kernels' (packed.h, chain_product-inl.h).
#pragma once

#include <cstddef>
#include <vector>

#include "irn/network/architecture.h"

namespace irn {

// The matrix W of a block, from its numbers, into rows of `stride` entries. What is not dense is multiplied out: for small networks and
// reference code.
template <class T>
void write_dense(const Block& block, const T* numbers, T* out, std::size_t stride);

// gradient = sum over samples s of dL/d(numbers), where dL/d(W v_s) is u_s: of W = F_k ... F_1, factor j has
//   ((F_k ... F_{j+1})^T u_s) ((F_{j-1} ... F_1) v_s)^T
// Samples are summed in ascending order. For blocks that are not dense; those of dense ones are sums of outer products (kernels/outer.h).
template <class T>
void sum_gradient(const Block& block, const T* numbers, std::size_t samples, const T* u, std::size_t u_stride,
                  const T* v, std::size_t v_stride, T* gradient);

// Of each row i of W: w_ii (0 beyond the columns), and an upper bound of the sum of |w_ij| over all other j, exact for one factor. Of an
// operator of the caller's the matrix is needed: it is multiplied out.
struct RowBounds {
  std::vector<double> diagonal, others;
};
template <class T>
RowBounds row_bounds(const Block& block, const T* numbers);

}  // namespace irn
