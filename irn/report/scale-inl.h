// From data to pixels: the range of an axis and the map from it.
#pragma once

#include "irn/report/figure.h"

namespace irn::report {

struct Scale {
  bool log = false;
  Range range = {};
  double start = 0, end = 1;  // pixels of range.low and range.high

  double operator()(double value) const;
};

// Whether the value can be placed on this axis: it must be finite, not so near the ends of double that spans
// overflow, and positive if the axis is logarithmic.
bool can_show(double value, bool log);

// The given range if it is usable, otherwise the range of the series with a margin. Never empty, never
// reversed.
Range x_range(const Panel& panel);
Range y_range(const Panel& panel);

}  // namespace irn::report
