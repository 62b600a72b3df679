// The geometry of a series in pixels: unbroken runs of a line, the outline of a band, the rectangles of bars.
#pragma once

#include <vector>

#include "irn/report/marks-inl.h"

namespace irn::report {

using Run = std::vector<Point>;  // points joined by one stroke

// Runs of (x, values) between points that cannot be shown; steps hold each value until the next x.
std::vector<Run> runs(const Series& series, const std::vector<double>& values, const PlotFrame& frame);

// Closed outlines: along the upper edge and back along the lower one. A lower edge that a logarithmic axis
// cannot show (mean minus error below zero) follows the bottom of the plot.
std::vector<Run> band(const Series& series, const PlotFrame& frame);

struct Whisker {
  double x = 0, low = 0, high = 0;
};
std::vector<Whisker> whiskers(const Series& series, const PlotFrame& frame, double shift);

struct Bar {
  Box box;
  double value = 0;
  double top = 0;  // the free pixel above bar and whisker
};

// Bars of several series are side by side in the slot of their x.
struct BarSlot {
  double width = 0, shift = 0;  // of this series' bar, in pixels; shift from x to the bar's middle
};
BarSlot bar_slot(const Panel& panel, std::size_t index, const PlotFrame& frame);
std::vector<Bar> bars(const Series& series, const BarSlot& slot, const PlotFrame& frame);

bool has_band(const Series& series);

}  // namespace irn::report
