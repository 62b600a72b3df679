#include "irn/kernels/outer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "irn/base/random.h"
#include "irn/kernels/targets_testing-inl.h"

namespace irn::kernels {
namespace {

template <class T>
struct Factors {
  explicit Factors(std::size_t count, std::size_t most_rows = 23, std::size_t most_cols = 41)
      : samples(count), u_stride(most_rows), v_stride(most_cols), u(count * u_stride), v(count * v_stride) {
    const Stream stream(5, count);
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = static_cast<T>(stream.uniform(k, -1.0, 1.0));
    for (std::size_t k = 0; k < v.size(); ++k)
      v[k] = static_cast<T>(stream.uniform((1u << 20) + k, -1.0, 1.0));
  }
  // One number more than needed shows whether anything is written beyond the end.
  std::vector<T> sum(std::size_t rows, std::size_t cols) const {
    std::vector<T> c(rows * cols + 1, T(99));
    sum_outer<T>(samples, u.data(), u_stride, rows, v.data(), v_stride, cols, c.data());
    return c;
  }
  double plain(std::size_t i, std::size_t j) const {
    double sum = 0;
    for (std::size_t s = 0; s < samples; ++s)
      sum += double(u[s * u_stride + i]) * double(v[s * v_stride + j]);
    return sum;
  }

  std::size_t samples, u_stride, v_stride;
  std::vector<T> u, v;
};

template <class T>
void expect_plain(const Factors<T>& factors, std::size_t rows, std::size_t cols, const char* target) {
  const std::vector<T> c = factors.sum(rows, cols);
  const double samples = double(factors.samples),
               rounding = samples * samples * std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      ASSERT_NEAR(double(c[i * cols + j]), factors.plain(i, j), rounding)
          << target << " " << rows << " x " << cols;
  ASSERT_EQ(c.back(), T(99)) << target << " wrote beyond " << rows << " x " << cols;
}

template <class T>
void expect_every_shape(const char* target) {
  for (const std::size_t samples : {0u, 1u, 2u, 7u, 40u}) {
    const Factors<T> factors(samples);
    for (std::size_t rows = 1; rows <= 15; ++rows)
      for (std::size_t cols = 1; cols <= 41; ++cols) expect_plain(factors, rows, cols, target);
  }
}

TEST(Outer, EveryTargetGivesThePlainSumForEveryShape) {
  for_each_target([](const char* target) {
    expect_every_shape<float>(target);
    expect_every_shape<double>(target);
  });
}

// With IRN_WITH_OPENBLAS these sums are OpenBLAS's.
template <class T>
void expect_wide_shapes(const char* target) {
  for (const std::size_t samples : {0u, 1u, 40u}) {
    const Factors<T> factors(samples, 97, blas_columns + 50);
    for (const std::size_t rows : {1u, 96u})
      for (const std::size_t cols : {blas_columns - 1, blas_columns, blas_columns + 37})
        expect_plain(factors, rows, cols, target);
  }
}
TEST(Outer, WideLayersGiveThePlainSum) {
  for_each_target([](const char* target) {
    expect_wide_shapes<float>(target);
    expect_wide_shapes<double>(target);
  });
}

TEST(Outer, TheBitsOfAnEntryDoNotDependOnTheShapeAroundIt) {
  for_each_target([](const char* target) {
    const Factors<float> factors(40);
    const std::vector<float> whole = factors.sum(23, 41);
    for (std::size_t rows = 1; rows <= 23; ++rows)
      for (const std::size_t cols : {1u, 3u, 15u, 16u, 17u, 33u}) {
        const std::vector<float> part = factors.sum(rows, cols);
        for (std::size_t i = 0; i < rows; ++i)
          ASSERT_TRUE(std::equal(&part[i * cols], &part[i * cols] + cols, &whole[i * 41])) << target;
      }
  });
}

}  // namespace
}  // namespace irn::kernels
