#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/product_test.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/base/aligned.h"
#include "irn/kernels/product-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class T>
struct Unchanged {
  static HWY_INLINE Lanes<T> value(Lanes<T> u) { return u; }
};

std::size_t width_float() { return Lanes<float>::width; }
std::size_t width_double() { return Lanes<double>::width; }
void product_float(const Panels<float>& m, const float* v, const float* start, float* out) {
  multiply<float, Unchanged<float>>(m, v, start, out);
}
void product_double(const Panels<double>& m, const double* v, const double* start, double* out) {
  multiply<double, Unchanged<double>>(m, v, start, out);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <cmath>

#include "irn/base/random.h"
#include "irn/kernels/targets_testing-inl.h"

namespace irn {
namespace {

HWY_EXPORT(width_float);
HWY_EXPORT(width_double);
HWY_EXPORT(product_float);
HWY_EXPORT(product_double);

template <class T>
std::size_t width() {
  return sizeof(T) == 4 ? HWY_DYNAMIC_DISPATCH(width_float)() : HWY_DYNAMIC_DISPATCH(width_double)();
}
void product(const Panels<float>& m, const float* v, const float* start, float* out) {
  HWY_DYNAMIC_DISPATCH(product_float)(m, v, start, out);
}
void product(const Panels<double>& m, const double* v, const double* start, double* out) {
  HWY_DYNAMIC_DISPATCH(product_double)(m, v, start, out);
}

// Patterns of absent blocks: everything, nothing, holes before, between and after.
const std::vector<std::vector<PanelRange>>& range_patterns() {
  static const std::vector<std::vector<PanelRange>> all = {
      {}, {{0, 1}}, {{0, 17}}, {{3, 5}}, {{0, 2}, {4, 3}}, {{1, 1}, {5, 4}, {11, 6}}};
  return all;
}
constexpr std::size_t longest_vector = 17;

template <class T>
struct Case {
  Case(std::size_t rows, const std::vector<PanelRange>& ranges)
      : panels(rows, ranges),
        matrix(rows * panels.depth),
        v(longest_vector * width<T>()),
        start(rows * width<T>()),
        out((rows + 1) * width<T>()) {
    const Stream stream(rows, panels.depth);
    fill(matrix.data(), matrix.size(), stream, 0);
    fill(v.data(), v.size(), stream, 1u << 20);
    fill(start.data(), start.size(), stream, 1u << 21);
    panels.set(0, rows, 0, panels.depth, matrix.data(), panels.depth, 1);
    out.fill(T(99));
  }
  static void fill(T* p, std::size_t count, const Stream& stream, std::uint64_t first) {
    for (std::size_t i = 0; i < count; ++i) p[i] = static_cast<T>(stream.uniform(first + i, -1.0, 1.0));
  }
  // Row i, lane l, in double.
  double plain(std::size_t i, std::size_t l, bool with_start) const {
    double sum = with_start ? start[i * width<T>() + l] : 0.0;
    std::size_t column = i * panels.depth;
    for (const PanelRange& r : panels.ranges)
      for (std::size_t k = r.first; k < r.first + r.count; ++k)
        sum += double(matrix[column++]) * double(v[k * width<T>() + l]);
    return sum;
  }

  Panels<T> panels;
  std::vector<T> matrix;
  AlignedBuffer<T> v, start, out;
};

// Sums of at most 18 terms of size at most 1.
template <class T>
constexpr double rounding = 18 * 18 * std::numeric_limits<T>::epsilon();

template <class T>
void expect_plain(const Case<T>& c, bool with_start, const char* target) {
  const std::size_t w = width<T>(), rows = c.panels.rows;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t l = 0; l < w; ++l)
      ASSERT_NEAR(double(c.out[i * w + l]), c.plain(i, l, with_start), rounding<T>) << target << " row " << i << " of " << rows;
  for (std::size_t l = 0; l < w; ++l) ASSERT_EQ(c.out[rows * w + l], T(99)) << target << " wrote beyond " << rows;
}

template <class T>
void expect_every_shape(const char* target) {
  for (std::size_t rows = 1; rows <= 30; ++rows)
    for (const auto& ranges : range_patterns()) {
      Case<T> c(rows, ranges);
      product(c.panels, c.v.data(), c.start.data(), c.out.data());
      expect_plain(c, true, target);
      product(c.panels, c.v.data(), nullptr, c.out.data());
      expect_plain(c, false, target);
    }
}

TEST(Product, EveryTargetGivesThePlainDoubleLoopForEveryHeightAndRange) {
  kernels::for_each_target([](const char* target) {
    expect_every_shape<float>(target);
    expect_every_shape<double>(target);
  });
}

TEST(Product, TheStartMayBeTheResult) {
  kernels::for_each_target([](const char* target) {
    Case<double> c(23, {{1, 1}, {5, 4}, {11, 6}});
    std::copy_n(c.start.data(), c.start.size(), c.out.data());
    product(c.panels, c.v.data(), c.out.data(), c.out.data());
    expect_plain(c, true, target);
  });
}

// The rule behind "alone, in any batch, in any position".
TEST(Product, ALaneHasTheSameBitsWhateverItsNeighboursHold) {
  kernels::for_each_target([](const char* target) {
    const std::size_t w = width<float>();
    Case<float> c(13, {{0, 17}}), other(13, {{0, 17}});
    for (std::size_t l = 0; l < w; ++l) {
      other.v.fill(std::numeric_limits<float>::quiet_NaN());
      for (std::size_t k = 0; k < longest_vector; ++k) other.v[k * w + (l + 1) % w] = c.v[k * w + l];
      product(c.panels, c.v.data(), nullptr, c.out.data());
      product(c.panels, other.v.data(), nullptr, other.out.data());
      for (std::size_t i = 0; i < 13; ++i) ASSERT_EQ(other.out[i * w + (l + 1) % w], c.out[i * w + l]) << target;
    }
  });
}

TEST(Panels, HeightsCoverTheRowsAndDifferByAtMostOne) {
  for (std::size_t rows = 1; rows <= 500; ++rows) {
    std::size_t row = 0, low = max_panel_height, high = 0;
    while (row < rows) {
      const std::size_t height = panel_height(rows, row);
      low = std::min(low, height), high = std::max(high, height);
      row += height;
    }
    EXPECT_EQ(row, rows);
    EXPECT_LE(high, max_panel_height);
    EXPECT_LE(high - low, 1u) << rows;
    EXPECT_GE(low, 1u);
  }
}

TEST(Panels, AMatrixSetInBlocksIsTheMatrixSetAtOnce) {
  std::vector<double> m(20 * 9);
  for (std::size_t k = 0; k < m.size(); ++k) m[k] = double(k + 1);
  Panels<double> whole(20, {{0, 9}}), parts(20, {{0, 9}}), mirrored(20, {{0, 9}});
  whole.set(0, 20, 0, 9, m.data(), 9, 1);
  for (const std::size_t row : {0u, 7u, 14u})
    for (const std::size_t column : {0u, 4u})
      parts.set(row, row == 14 ? 6 : 7, column, column == 0 ? 4 : 5, m.data() + row * 9 + column, 9, 1);
  EXPECT_EQ(parts.weights, whole.weights);
  std::vector<double> transposed(9 * 20);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t j = 0; j < 9; ++j) transposed[j * 20 + i] = m[i * 9 + j];
  mirrored.set(0, 20, 0, 9, transposed.data(), 1, 20);
  EXPECT_EQ(mirrored.weights, whole.weights);
}

}  // namespace
}  // namespace irn
#endif
