#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/kernels/product_test.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/base/aligned.h"
#include "irn/kernels/product-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class V, class T>
void product_of(const Panels<T>& m, const T* v, const T* start, T* out) {
  multiply<V>(m, reinterpret_cast<const V*>(v), reinterpret_cast<const V*>(start), reinterpret_cast<V*>(out));
}

// Half a register, one and two.
template <class T>
inline constexpr std::size_t widths[3] = {half_lanes<T>, native_lanes<T>, 2 * native_lanes<T>};

template <class T>
void product_of_kind(std::size_t kind, const Panels<T>& m, const T* v, const T* start, T* out) {
  if (kind == 0) product_of<Lanes<T, widths<T>[0]>>(m, v, start, out);
  if (kind == 1) product_of<Lanes<T, widths<T>[1]>>(m, v, start, out);
  if (kind == 2) product_of<Lanes<T, widths<T>[2]>>(m, v, start, out);
}

std::size_t product_width(bool single, std::size_t kind) {
  return single ? widths<float>[kind] : widths<double>[kind];
}
void product_float(std::size_t kind, const Panels<float>& m, const float* v, const float* start, float* out) {
  product_of_kind(kind, m, v, start, out);
}
void product_double(std::size_t kind, const Panels<double>& m, const double* v, const double* start,
                    double* out) {
  product_of_kind(kind, m, v, start, out);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "irn/base/random.h"
#include "irn/kernels/targets_testing-inl.h"

namespace irn {
namespace {

HWY_EXPORT(product_width);
HWY_EXPORT(product_float);
HWY_EXPORT(product_double);

constexpr std::size_t kinds = 3;  // of widths

template <class T>
std::size_t width(std::size_t kind) {
  return HWY_DYNAMIC_DISPATCH(product_width)(sizeof(T) == 4, kind);
}
void product(std::size_t kind, const Panels<float>& m, const float* v, const float* start, float* out) {
  HWY_DYNAMIC_DISPATCH(product_float)(kind, m, v, start, out);
}
void product(std::size_t kind, const Panels<double>& m, const double* v, const double* start, double* out) {
  HWY_DYNAMIC_DISPATCH(product_double)(kind, m, v, start, out);
}

// Patterns of absent blocks: all present, none present, gaps before, between and after.
const std::vector<std::vector<PanelRange>>& range_patterns() {
  static const std::vector<std::vector<PanelRange>> all = {
      {}, {{0, 1}}, {{0, 17}}, {{3, 5}}, {{0, 2}, {4, 3}}, {{1, 1}, {5, 4}, {11, 6}}};
  return all;
}
constexpr std::size_t longest_vector = 17;

template <class T>
struct Case {
  Case(std::size_t kind_of_width, std::size_t rows, const std::vector<PanelRange>& ranges)
      : kind(kind_of_width),
        w(width<T>(kind)),
        panels(rows, ranges),
        matrix(rows * panels.depth),
        v(longest_vector * w),
        start(rows * w),
        out((rows + 1) * w) {
    const Stream stream(rows, panels.depth);
    for (std::size_t k = 0; k < matrix.size(); ++k) matrix[k] = static_cast<T>(stream.uniform(k, -1.0, 1.0));
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = entry(stream, k, 1);
    for (std::size_t k = 0; k < start.size(); ++k) start[k] = entry(stream, k, 2);
    panels.set(0, rows, 0, panels.depth, matrix.data(), panels.depth, 1);
    out.fill(T(99));
  }
  // A lane's numbers do not depend on the number of lanes.
  T entry(const Stream& stream, std::size_t k, std::uint64_t part) const {
    return static_cast<T>(stream.uniform((part << 30) + (k / w << 10) + k % w, -1.0, 1.0));
  }
  void multiply(bool with_start) {
    product(kind, panels, v.data(), with_start ? start.data() : nullptr, out.data());
  }
  // Row i, lane l, in double.
  double plain(std::size_t i, std::size_t l, bool with_start) const {
    double sum = with_start ? double(start[i * w + l]) : 0.0;
    std::size_t column = i * panels.depth;
    for (const PanelRange& r : panels.ranges)
      for (std::size_t k = r.first; k < r.first + r.count; ++k)
        sum += double(matrix[column++]) * double(v[k * w + l]);
    return sum;
  }

  std::size_t kind, w;
  Panels<T> panels;
  std::vector<T> matrix;
  AlignedBuffer<T> v, start, out;
};

// Sums of at most 18 terms of size at most 1.
template <class T>
constexpr double rounding = 18 * 18 * std::numeric_limits<T>::epsilon();

template <class T>
void expect_plain(const Case<T>& c, bool with_start, const char* target) {
  const std::size_t rows = c.panels.rows;
  for (std::size_t k = 0; k < rows * c.w; ++k)
    ASSERT_NEAR(double(c.out[k]), c.plain(k / c.w, k % c.w, with_start), rounding<T>)
        << target << " row " << k / c.w << " of " << rows << ", " << c.w << " lanes";
  for (std::size_t l = 0; l < c.w; ++l)
    ASSERT_EQ(c.out[rows * c.w + l], T(99)) << target << " wrote beyond " << rows;
}

template <class T>
void expect_every_shape(std::size_t kind, const char* target) {
  for (std::size_t rows = 1; rows <= 30; ++rows)
    for (const auto& ranges : range_patterns()) {
      Case<T> c(kind, rows, ranges);
      for (const bool with_start : {true, false}) {
        c.multiply(with_start);
        expect_plain(c, with_start, target);
      }
    }
}

TEST(Product, EveryTargetGivesThePlainDoubleLoopForEveryHeightRangeAndNumberOfLanes) {
  kernels::for_each_target([](const char* target) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      expect_every_shape<float>(kind, target);
      expect_every_shape<double>(kind, target);
    }
  });
}

TEST(Product, TheStartMayBeTheResult) {
  kernels::for_each_target([](const char* target) {
    Case<double> c(1, 23, {{1, 1}, {5, 4}, {11, 6}});
    std::copy_n(c.start.data(), c.start.size(), c.out.data());
    product(1, c.panels, c.v.data(), c.out.data(), c.out.data());
    expect_plain(c, true, target);
  });
}

// This is why a sample has the same answer alone, in any batch and in any position.
TEST(Product, ALaneHasTheSameBitsWhateverItsNeighboursHold) {
  kernels::for_each_target([](const char* target) {
    Case<float> c(1, 13, {{0, 17}}), other(1, 13, {{0, 17}});
    c.multiply(false);
    for (std::size_t l = 0; l < c.w; ++l) {
      const std::size_t place = (l + 1) % c.w;
      other.v.fill(std::numeric_limits<float>::quiet_NaN());
      for (std::size_t k = 0; k < longest_vector; ++k) other.v[k * c.w + place] = c.v[k * c.w + l];
      other.multiply(false);
      for (std::size_t i = 0; i < 13; ++i)
        ASSERT_EQ(other.out[i * c.w + place], c.out[i * c.w + l]) << target;
    }
  });
}

TEST(Product, ALaneHasTheSameBitsWhateverTheNumberOfLanes) {
  kernels::for_each_target([](const char* target) {
    Case<float> native(1, 13, {{0, 17}});
    native.multiply(true);
    for (const std::size_t kind : {0u, 2u}) {
      Case<float> other(kind, 13, {{0, 17}});
      other.multiply(true);
      for (std::size_t i = 0; i < 13; ++i)
        for (std::size_t l = 0; l < std::min(native.w, other.w); ++l)
          ASSERT_EQ(other.out[i * other.w + l], native.out[i * native.w + l]) << target;
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
