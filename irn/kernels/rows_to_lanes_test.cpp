#include "irn/kernels/rows_to_lanes.h"

#include <gtest/gtest.h>

#include <vector>

#include "irn/kernels/targets_testing-inl.h"

namespace irn::kernels {
namespace {

template <class T>
void every_number_arrives(std::size_t columns, std::size_t lanes, std::size_t width) {
  constexpr std::size_t rows = 40;
  std::vector<T> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i + 1);
  std::vector<std::uint64_t> index;
  for (std::size_t lane = 0; lane < lanes; ++lane) index.push_back((lane * 7 + 3) % rows);
  std::vector<T> out(columns * width + 1, T(-1));
  rows_to_lanes<T>(values.data(), columns, index, width, out.data());
  for (std::size_t k = 0; k < columns; ++k)
    for (std::size_t lane = 0; lane < width; ++lane)
      ASSERT_EQ(out[k * width + lane], lane < lanes ? values[index[lane] * columns + k] : T(0))
          << columns << " columns, " << lanes << " of " << width << " lanes";
  EXPECT_EQ(out.back(), T(-1)) << "nothing is written behind the lanes";
}

TEST(RowsToLanes, EveryNumberArrivesWhateverTheShapeOnEveryTarget) {
  for_each_target([](const char* target) {
    SCOPED_TRACE(target);
    for (std::size_t columns = 1; columns <= 13; ++columns)
      for (std::size_t width : {1, 2, 4, 8, 16, 20})
        for (std::size_t lanes = 0; lanes <= width; ++lanes) {
          every_number_arrives<float>(columns, lanes, width);
          every_number_arrives<double>(columns, lanes, width);
        }
  });
}

template <class T>
void is_transposed(std::size_t rows, std::size_t columns) {
  const std::size_t stride = columns + 2, width = rows + 3;
  std::vector<T> m(rows * stride);
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<T>(i + 1);
  std::vector<T> out(columns * width, T(-1));
  transpose<T>(m.data(), stride, rows, columns, width, out.data());
  for (std::size_t k = 0; k < columns; ++k)
    for (std::size_t i = 0; i < width; ++i)
      ASSERT_EQ(out[k * width + i], i < rows ? m[i * stride + k] : T(-1)) << rows << " x " << columns;
}

TEST(Transpose, EveryNumberArrivesAndNothingElseIsTouchedOnEveryTarget) {
  for_each_target([](const char* target) {
    SCOPED_TRACE(target);
    for (std::size_t rows = 1; rows <= 13; ++rows)
      for (std::size_t columns = 1; columns <= 13; ++columns)
        is_transposed<float>(rows, columns), is_transposed<double>(rows, columns);
  });
}

}  // namespace
}  // namespace irn::kernels
