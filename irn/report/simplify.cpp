#include "irn/report/simplify-inl.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>

namespace irn::report {
namespace {

double column(Point p) { return std::floor(p.x); }

void keep_extremes(std::vector<Point>& out, const Point* first, const Point* last) {
  const auto [low, high] = std::minmax_element(first, last + 1, [](Point a, Point b) { return a.y < b.y; });
  const Point* kept[] = {first, std::min(low, high), std::max(low, high), last};
  const Point* previous = nullptr;
  for (const Point* p : kept) {
    if (p != previous) out.push_back(*p);
    previous = p;
  }
}

}  // namespace

std::vector<Point> thin_line(const std::vector<Point>& line) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t last = i;
    while (last + 1 < line.size() && column(line[last + 1]) == column(line[i])) ++last;
    keep_extremes(out, &line[i], &line[last]);
    i = last + 1;
  }
  return out;
}

std::vector<Point> thin_points(const std::vector<Point>& points) {
  std::unordered_set<std::int64_t> seen;
  std::vector<Point> out;
  for (const Point p : points) {
    const auto x = static_cast<std::int64_t>(std::clamp(2 * p.x, -1e5, 1e5));
    const auto y = static_cast<std::int64_t>(std::clamp(2 * p.y, -1e5, 1e5));
    if (seen.insert(x * 1'000'003 + y).second) out.push_back(p);
  }
  return out;
}

}  // namespace irn::report
