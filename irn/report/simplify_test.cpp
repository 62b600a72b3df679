#include "irn/report/simplify-inl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace irn::report {
namespace {

TEST(ThinLine, KeepsExtremesOfEveryPixelColumn) {
  std::vector<Point> line;
  for (int i = 0; i < 100'000; ++i) line.push_back({i * 0.003, 100 * std::sin(i * 0.7) * std::cos(i * 1e-4)});
  const std::vector<Point> thin = thin_line(line);
  EXPECT_LE(thin.size(), 4 * 301u);
  const auto extremes = [](const std::vector<Point>& points) {
    std::map<int, std::pair<double, double>> out;
    for (const Point p : points) {
      auto& [low, high] = out.try_emplace(static_cast<int>(p.x), p.y, p.y).first->second;
      low = std::min(low, p.y), high = std::max(high, p.y);
    }
    return out;
  };
  EXPECT_EQ(extremes(thin), extremes(line));
  EXPECT_TRUE(std::ranges::is_sorted(thin, {}, &Point::x));
}

TEST(ThinLine, LeavesShortLinesAlone) {
  EXPECT_EQ(thin_line({{0, 1}, {10, 2}, {20, 0}}).size(), 3u);
  EXPECT_EQ(thin_line({{5, 5}}).size(), 1u);
  EXPECT_TRUE(thin_line({}).empty());
}

TEST(ThinPoints, KeepsOneOfThoseThatCoverEachOther) {
  EXPECT_EQ(thin_points({{1, 1}, {1.1, 1.1}, {30, 1}, {1.05, 1}}).size(), 2u);
}

}  // namespace
}  // namespace irn::report
