// Sums of outer products, C = sum_s u_s v_s^T: where gradients of weights come from.
#pragma once

#include <cstddef>

namespace irn::kernels {

// From as many columns on, a library built with IRN_WITH_OPENBLAS leaves these sums to OpenBLAS, which is faster there
// (bench_product): it copies v into blocks that lie well in the cache. Not so products with states: their bits must not depend on
// the batch. On one thread, so that the bits of a call depend on the processor and on OpenBLAS's version alone.
inline constexpr std::size_t blas_columns = 700;

// c[i * cols + j] = sum over s < samples of u[s * u_stride + i] * v[s * v_stride + j], for i < rows, j < cols.
// Summed over s in ascending order by fused multiply-adds, whatever the shape: the bits depend on the order of the
// samples only (but see blas_columns).
template <class T>
void sum_outer(std::size_t samples, const T* u, std::size_t u_stride, std::size_t rows, const T* v,
               std::size_t v_stride, std::size_t cols, T* c);

}  // namespace irn::kernels
