// From data to pixels: the range of an axis and the map over it.
#pragma once

#include "irn/report/figure.h"

namespace irn::report {

struct Scale {
  bool log = false;
  Range range = {};
  double start = 0, end = 1;  // pixels of range.low and range.high

  double operator()(double value) const;
};

// Can the value be placed on this axis at all? Finite, far enough from the ends of double that spans stay
// finite, and positive where the axis is logarithmic.
bool can_show(double value, bool log);

// The given range where it is usable, otherwise what the series need, with air. Never empty, never reversed.
Range x_range(const Panel& panel);
Range y_range(const Panel& panel);

}  // namespace irn::report
