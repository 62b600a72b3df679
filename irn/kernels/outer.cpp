#include "irn/kernels/outer.h"

#include <cstring>
#ifdef IRN_WITH_OPENBLAS
#include <cblas.h>
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/outer.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// The first `count` numbers from p, followed by zeros. Before AVX2, Highway's masked load is an aligned load
// of the whole vector, which faults on most rows and reads beyond the last one.
template <class Tag, class T>
HWY_INLINE hn::Vec<Tag> load_first(Tag d, hn::Mask<Tag> first, std::size_t count, const T* p) {
#if HWY_TARGET <= HWY_AVX2
  (void)count;
  return hn::MaskedLoad(first, d, p);
#else
  (void)first;
  HWY_ALIGN T whole[hn::MaxLanes(Tag())] = {};
  std::memcpy(whole, p, count * sizeof(T));
  return hn::Load(d, whole);
#endif
}

// RI rows x RJ vectors of C, in registers during the loop over s; the last vector may be partial.
template <class T, std::size_t RI, std::size_t RJ>
HWY_INLINE void outer_tile(std::size_t samples, const T* u, std::size_t u_stride, const T* v,
                           std::size_t v_stride, std::size_t cols, std::size_t left, T* c) {
  using Tag = typename Lanes<T>::Tag;
  constexpr std::size_t width = Lanes<T>::width;
  const std::size_t rest = left - (RJ - 1) * width < width ? left - (RJ - 1) * width : width;
  const auto cut = hn::FirstN(Tag(), rest);
  Lanes<T> sums[RI][RJ];
  for (std::size_t s = 0; s < samples; ++s, u += u_stride, v += v_stride) {
    Lanes<T> vs[RJ];
    IRN_UNROLL
    for (std::size_t j = 0; j + 1 < RJ; ++j) vs[j].v[0] = hn::LoadU(Tag(), v + j * width);
    vs[RJ - 1].v[0] = load_first(Tag(), cut, rest, v + (RJ - 1) * width);
    IRN_UNROLL
    for (std::size_t i = 0; i < RI; ++i) IRN_UNROLL
    for (std::size_t j = 0; j < RJ; ++j) sums[i][j] = mul_add(Lanes<T>(u[i]), vs[j], sums[i][j]);
  }
  IRN_UNROLL
  for (std::size_t i = 0; i < RI; ++i) {
    IRN_UNROLL
    for (std::size_t j = 0; j + 1 < RJ; ++j) hn::StoreU(sums[i][j].v[0], Tag(), c + i * cols + j * width);
    hn::BlendedStore(sums[i][RJ - 1].v[0], cut, Tag(), c + i * cols + (RJ - 1) * width);
  }
}

template <class T, std::size_t RI>
HWY_INLINE void outer_rows(std::size_t samples, const T* u, std::size_t u_stride, const T* v,
                           std::size_t v_stride, std::size_t cols, T* c) {
  constexpr std::size_t pair = 2 * Lanes<T>::width;
  std::size_t j = 0;
  for (; j + pair <= cols; j += pair)
    outer_tile<T, RI, 2>(samples, u, u_stride, v + j, v_stride, cols, cols - j, c + j);
  if (cols - j > pair / 2)
    outer_tile<T, RI, 2>(samples, u, u_stride, v + j, v_stride, cols, cols - j, c + j);
  else if (cols > j)
    outer_tile<T, RI, 1>(samples, u, u_stride, v + j, v_stride, cols, cols - j, c + j);
}

template <class T>
void outer(std::size_t samples, const T* u, std::size_t u_stride, std::size_t rows, const T* v,
           std::size_t v_stride, std::size_t cols, T* c) {
  std::size_t i = 0;
  for (; i + 6 <= rows; i += 6) outer_rows<T, 6>(samples, u + i, u_stride, v, v_stride, cols, c + i * cols);
  for (; i + 2 <= rows; i += 2) outer_rows<T, 2>(samples, u + i, u_stride, v, v_stride, cols, c + i * cols);
  for (; i < rows; ++i) outer_rows<T, 1>(samples, u + i, u_stride, v, v_stride, cols, c + i * cols);
}

void outer_float(std::size_t samples, const float* u, std::size_t us, std::size_t rows, const float* v,
                 std::size_t vs, std::size_t cols, float* c) {
  outer<float>(samples, u, us, rows, v, vs, cols, c);
}
void outer_double(std::size_t samples, const double* u, std::size_t us, std::size_t rows, const double* v,
                  std::size_t vs, std::size_t cols, double* c) {
  outer<double>(samples, u, us, rows, v, vs, cols, c);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn {
HWY_EXPORT(outer_float);
HWY_EXPORT(outer_double);
namespace kernels {

#ifdef IRN_WITH_OPENBLAS
// Returns whether OpenBLAS computed it.
template <class T>
bool sum_by_blas(std::size_t samples, const T* u, std::size_t us, std::size_t rows, const T* v,
                 std::size_t vs, std::size_t cols, T* c) {
  if (cols < blas_columns || samples == 0) return false;
  static const bool alone = (openblas_set_num_threads(1), true);
  (void)alone;
  const auto product = [&](auto gemm) {
    gemm(CblasRowMajor, CblasTrans, CblasNoTrans, blasint(rows), blasint(cols), blasint(samples), T(1), u,
         blasint(us), v, blasint(vs), T(0), c, blasint(cols));
  };
  if constexpr (sizeof(T) == 4)
    product(cblas_sgemm);
  else
    product(cblas_dgemm);
  return true;
}
#else
template <class T>
bool sum_by_blas(std::size_t, const T*, std::size_t, std::size_t, const T*, std::size_t, std::size_t, T*) {
  return false;
}
#endif

template <>
void sum_outer(std::size_t samples, const float* u, std::size_t us, std::size_t rows, const float* v,
               std::size_t vs, std::size_t cols, float* c) {
  if (sum_by_blas(samples, u, us, rows, v, vs, cols, c)) return;
  HWY_DYNAMIC_DISPATCH(outer_float)(samples, u, us, rows, v, vs, cols, c);
}
template <>
void sum_outer(std::size_t samples, const double* u, std::size_t us, std::size_t rows, const double* v,
               std::size_t vs, std::size_t cols, double* c) {
  if (sum_by_blas(samples, u, us, rows, v, vs, cols, c)) return;
  HWY_DYNAMIC_DISPATCH(outer_double)(samples, u, us, rows, v, vs, cols, c);
}
}  // namespace kernels
}  // namespace irn
#endif
