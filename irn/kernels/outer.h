// Sums of outer products, C = sum_s u_s v_s^T, for gradients of weights.
#pragma once

#include <cstddef>

namespace irn::kernels {

// From this number of columns on, a library built with IRN_WITH_OPENBLAS leaves these sums to OpenBLAS, which
// is then faster (bench_product): it copies v into blocks that fit the cache. Products with states are not
// left to it, as their bits must not depend on the batch. OpenBLAS runs on one thread, so that the bits
// depend only on the processor and on its version.
inline constexpr std::size_t blas_columns = 700;

// c[i * cols + j] = sum over s < samples of u[s * u_stride + i] * v[s * v_stride + j],
// for i < rows and j < cols.
// The sums are over s in ascending order by fused multiply-adds, whatever the shape: the bits depend only on
// the order of the samples (but see blas_columns).
template <class T>
void sum_outer(std::size_t samples, const T* u, std::size_t u_stride, std::size_t rows, const T* v,
               std::size_t v_stride, std::size_t cols, T* c);

}  // namespace irn::kernels
