// Sums of outer products, C += sum_s u_s v_s^T: where gradients of weights come from.
#pragma once

#include <cstddef>

namespace irn::kernels {

// c[i * cols + j] = sum over s < samples of u[s * u_stride + i] * v[s * v_stride + j], for i < rows, j < cols.
// Summed over s in ascending order by fused multiply-adds, whatever the shape: the bits depend on the order of the
// samples only.
template <class T>
void sum_outer(std::size_t samples, const T* u, std::size_t u_stride, std::size_t rows, const T* v,
               std::size_t v_stride, std::size_t cols, T* c);

}  // namespace irn::kernels
