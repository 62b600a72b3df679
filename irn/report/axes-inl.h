// The frame of a plot: range, ticks, grid, tick labels and axis labels, and the room they need around it.
#pragma once

#include <string>
#include <vector>

#include "irn/report/marks-inl.h"
#include "irn/report/ticks-inl.h"

namespace irn::report {

struct Margins {
  double left = 0, right = 0, top = 0, bottom = 0;

  void cover(const Margins& other);  // takes the larger margin of each side
};

struct AxesPlan {
  PlotFrame frame;  // the plot's top left is the origin
  Ticks x, y;
  bool slanted = false;  // names below the x axis are too long to be side by side
  bool grid = true;
  std::vector<std::string> x_label, y_label;  // lines
};

// `top_down` counts categories of y from the top, as the rows of a matrix.
AxesPlan plan_axes(const Panel& panel, double width, double height, bool top_down);
Margins margins_of(const AxesPlan& plan);
void draw_grid(Svg& out, const AxesPlan& plan);
void draw_axes(Svg& out, const AxesPlan& plan);

}  // namespace irn::report
