#include "irn/kernels/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "irn/kernels/targets_testing-inl.h"

namespace irn::kernels {
namespace {

template <class T>
struct Vectors {
  std::vector<T> g, p, m, v;
  explicit Vectors(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(i);
      g.push_back(static_cast<T>(std::sin(x * 1.7) * std::exp(std::cos(x) * 6)));
      p.push_back(static_cast<T>(std::cos(x * 0.3)));
      m.push_back(static_cast<T>(std::sin(x * 0.9) * 0.1));
      v.push_back(static_cast<T>(0.5 + 0.4 * std::cos(x * 2.1)));
    }
  }
};

constexpr AdamStep some_step = {0.9, 0.999, 0.01, 1e-8, 0.9995};

// The plain version, in double.
template <class T>
void plain_adam(const AdamStep& s, Vectors<T>& x) {
  for (std::size_t i = 0; i < x.g.size(); ++i) {
    const double g = x.g[i], m = s.beta1 * x.m[i] + (1 - s.beta1) * g;
    const double v = s.beta2 * x.v[i] + (1 - s.beta2) * g * g;
    x.m[i] = static_cast<T>(m);
    x.v[i] = static_cast<T>(v);
    x.p[i] = static_cast<T>(s.keep * x.p[i] - s.size * m / (std::sqrt(v) + s.epsilon));
  }
}

template <class T>
void expect_near(const std::vector<T>& a, const std::vector<T>& b, const char* what) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double room =
        4 * std::numeric_limits<T>::epsilon() * std::max(1.0, std::abs(static_cast<double>(b[i])));
    EXPECT_NEAR(a[i], b[i], 10 * room) << what << " " << i;
  }
}

template <class T>
void expect_the_plain_step(const char* target) {
  for (const std::size_t n : {1u, 3u, 7u, 8u, 16u, 31u, 100u, 1000u}) {
    Vectors<T> fast(n), plain(n);
    EXPECT_TRUE(adam(some_step, fast.g, fast.p.data(), fast.m.data(), fast.v.data())) << target;
    plain_adam(some_step, plain);
    expect_near(fast.m, plain.m, target);
    expect_near(fast.v, plain.v, target);
    expect_near(fast.p, plain.p, target);
  }
}

TEST(AdamKernel, EveryTargetTakesThePlainStep) {
  for_each_target([](const char* target) {
    expect_the_plain_step<float>(target);
    expect_the_plain_step<double>(target);
  });
}

TEST(AdamKernel, AnElementsBitsDoNotDependOnItsPlace) {
  for_each_target([](const char* target) {
    Vectors<float> whole(37);
    ASSERT_TRUE(adam(some_step, whole.g, whole.p.data(), whole.m.data(), whole.v.data()));
    for (std::size_t i = 0; i < 37; ++i) {
      Vectors<float> x(37);
      ASSERT_TRUE(adam(some_step, {&x.g[i], 1}, &x.p[i], &x.m[i], &x.v[i]));
      EXPECT_EQ(x.p[i], whole.p[i]) << target << i;
      EXPECT_EQ(x.m[i], whole.m[i]) << target << i;
      EXPECT_EQ(x.v[i], whole.v[i]) << target << i;
    }
  });
}

TEST(MomentumKernel, EveryTargetTakesThePlainStep) {
  for_each_target([](const char* target) {
    for (const bool nesterov : {false, true}) {
      Vectors<double> x(37);
      const Vectors<double> old(37);
      ASSERT_TRUE(momentum({0.9, 0.1, nesterov}, x.g, x.p.data(), x.m.data()));
      for (std::size_t i = 0; i < 37; ++i) {
        const double u = 0.9 * old.m[i] + old.g[i];
        EXPECT_NEAR(x.m[i], u, 1e-12) << target;
        EXPECT_NEAR(x.p[i], old.p[i] - 0.1 * (nesterov ? 0.9 * u + old.g[i] : u), 1e-12) << target;
      }
    }
  });
}

TEST(AdamKernel, AParameterThatWouldOverflowKeepsItsValue) {
  for_each_target([](const char* target) {
    Vectors<float> x(20);
    const Vectors<float> old(20);
    x.p[17] = -std::numeric_limits<float>::max();
    x.g[17] = 1;
    EXPECT_FALSE(momentum({0, 1e38, false}, x.g, x.p.data(), x.m.data())) << target;
    EXPECT_EQ(x.p[17], -std::numeric_limits<float>::max()) << target;
    for (const float p : x.p) EXPECT_TRUE(std::isfinite(p)) << target;
  });
}

template <class T>
void expect_bad_squares_found(const char* target) {
  for (std::size_t n = 1; n < 70; ++n) {
    std::vector<T> g(n, T(-1));
    EXPECT_TRUE(squares_are_finite(g)) << target;
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::infinity(),
                        std::numeric_limits<T>::max() / 2}) {
      g[n / 2] = bad;
      EXPECT_FALSE(squares_are_finite(g)) << target << n;
      g[n / 2] = 1;
      g[n - 1] = bad;
      EXPECT_FALSE(squares_are_finite(g)) << target << n;
      g[n - 1] = 1;
    }
  }
}

TEST(AdamKernel, EveryTargetFindsAGradientWhoseSquareIsNotFinite) {
  for_each_target([](const char* target) {
    expect_bad_squares_found<float>(target);
    expect_bad_squares_found<double>(target);
  });
}

}  // namespace
}  // namespace irn::kernels
