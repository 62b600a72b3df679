// Finds a place for the legend where it covers no curve, and draws it.
#pragma once

#include <string_view>
#include <vector>

#include "irn/report/marks-inl.h"

namespace irn::report {

struct LegendPlan {
  bool above = false;               // in the strip between title and plot
  Box box = {};                     // relative to the plot; its bottom is the plot's top if above
  std::vector<std::size_t> series;  // the series with a label
  std::vector<Point> places;        // top left of each entry, relative to the box
};

LegendPlan plan_legend(const Panel& panel, const PlotFrame& frame, const std::vector<Point>& covered);
void draw_legend(Svg& out, const Panel& panel, const LegendPlan& plan, std::string_view prefix);

// How many of the covered pixels are in the box.
std::size_t hits(const std::vector<Point>& covered, const Box& box);

}  // namespace irn::report
