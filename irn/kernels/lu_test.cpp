#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/lu_test.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/base/aligned.h"
#include "irn/kernels/lu-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

std::size_t lanes_of(bool single) { return single ? Lanes<float>::width : Lanes<double>::width; }

// x = M^-1 y and x_t = M^-T y for the matrices `m`, one in each lane.
template <class T>
void solve_both(std::size_t n, const T* m, T* factors, T* x, T* x_t) {
  using V = Lanes<T>;
  const LaneMatrix<V> lu{reinterpret_cast<V*>(factors), n};
  const auto source = [&](std::size_t i, std::size_t j) { return reinterpret_cast<const V*>(m)[i * n + j]; };
  factor(lu, source);
  solve<V, false>(lu, reinterpret_cast<V*>(x));
  solve<V, true>(lu, reinterpret_cast<V*>(x_t));
}
void solve_float(std::size_t n, const float* m, float* f, float* x, float* x_t) {
  solve_both(n, m, f, x, x_t);
}
void solve_double(std::size_t n, const double* m, double* f, double* x, double* x_t) {
  solve_both(n, m, f, x, x_t);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "irn/base/random.h"
#include "irn/kernels/targets_testing-inl.h"

namespace irn {
namespace {

HWY_EXPORT(lanes_of);
HWY_EXPORT(solve_float);
HWY_EXPORT(solve_double);

void solve_lanes(std::size_t n, const float* m, float* f, float* x, float* x_t) {
  HWY_DYNAMIC_DISPATCH(solve_float)(n, m, f, x, x_t);
}
void solve_lanes(std::size_t n, const double* m, double* f, double* x, double* x_t) {
  HWY_DYNAMIC_DISPATCH(solve_double)(n, m, f, x, x_t);
}

// A different system in every lane. The diagonal outweighs the rest of its row, as in the solvers' matrices.
template <class T>
struct Systems {
  explicit Systems(std::size_t size)
      : n(size),
        width(HWY_DYNAMIC_DISPATCH(lanes_of)(sizeof(T) == 4)),
        m(n * n * width),
        factors(n * n * width),
        y(n * width),
        x(n * width),
        x_t(n * width) {
    const Stream stream(n, 1);
    for (std::size_t k = 0; k < m.size(); ++k) m[k] = static_cast<T>(stream.uniform(k, -1.0, 1.0));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t l = 0; l < width; ++l)
        m[(i * n + i) * width + l] += static_cast<T>(l % 2 ? -1.0 - double(n) : 1.0 + double(n));
    for (std::size_t k = 0; k < y.size(); ++k)
      y[k] = static_cast<T>(stream.uniform((1u << 20) + k, -1.0, 1.0));
  }
  void solve() {
    std::copy_n(y.data(), y.size(), x.data());
    std::copy_n(y.data(), y.size(), x_t.data());
    solve_lanes(n, m.data(), factors.data(), x.data(), x_t.data());
  }
  Eigen::MatrixXd matrix(std::size_t lane) const {
    Eigen::MatrixXd one(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) one(i, j) = double(m[(i * n + j) * width + lane]);
    return one;
  }
  Eigen::VectorXd vector(const AlignedBuffer<T>& v, std::size_t lane) const {
    Eigen::VectorXd one(n);
    for (std::size_t i = 0; i < n; ++i) one(i) = double(v[i * width + lane]);
    return one;
  }

  std::size_t n, width;
  AlignedBuffer<T> m, factors, y, x, x_t;
};

// The matrices are well conditioned: the error is a few roundings for each row.
template <class T>
void expect_eigen(std::size_t n, const char* target) {
  Systems<T> systems(n);
  systems.solve();
  const double rounding = 8 * double(n) * std::numeric_limits<T>::epsilon();
  for (std::size_t l = 0; l < systems.width; ++l) {
    const Eigen::MatrixXd m = systems.matrix(l);
    const Eigen::VectorXd y = systems.vector(systems.y, l), want = m.lu().solve(y),
                          want_t = m.transpose().lu().solve(y);
    EXPECT_LE((systems.vector(systems.x, l) - want).cwiseAbs().maxCoeff(), rounding)
        << target << " n = " << n;
    EXPECT_LE((systems.vector(systems.x_t, l) - want_t).cwiseAbs().maxCoeff(), rounding)
        << target << " n = " << n;
  }
}

TEST(Lu, EveryTargetSolvesEverySystemOfEverySizeAsEigenDoes) {
  kernels::for_each_target([](const char* target) {
    for (std::size_t n = 1; n <= 24; ++n) expect_eigen<float>(n, target), expect_eigen<double>(n, target);
    for (const std::size_t n : {31u, 47u, 48u, 61u}) expect_eigen<double>(n, target);
  });
}

TEST(Lu, ASingularNeighbourChangesNoBit) {
  kernels::for_each_target([](const char* target) {
    for (std::size_t n = 1; n <= 9; ++n) {
      Systems<double> healthy(n), ill(n);
      for (std::size_t k = 0; k < n * n; ++k) ill.m[k * ill.width] = 0;
      healthy.solve(), ill.solve();
      for (std::size_t k = 0; k < n * ill.width; ++k) {
        if (k % ill.width == 0) continue;
        ASSERT_EQ(ill.x[k], healthy.x[k]) << target;
        ASSERT_EQ(ill.x_t[k], healthy.x_t[k]) << target;
      }
      EXPECT_FALSE(std::isfinite(ill.x[0])) << target << ": a singular matrix must not look solved";
    }
  });
}

}  // namespace
}  // namespace irn
#endif
