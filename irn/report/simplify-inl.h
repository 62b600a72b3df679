// Thins a curve with far more points than pixels, without a visible difference.
//
// Of consecutive points in one pixel column only the first, the lowest, the highest and the last are kept, so
// the drawn column covers the same pixels. Points (scatter) are kept once for each half-pixel cell.
#pragma once

#include <vector>

#include "irn/report/svg-inl.h"

namespace irn::report {

std::vector<Point> thin_line(const std::vector<Point>& line);
std::vector<Point> thin_points(const std::vector<Point>& points);

}  // namespace irn::report
