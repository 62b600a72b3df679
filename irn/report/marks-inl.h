// Draws the series of a panel into its frame: bands, bars and clouds of points first, then lines, and single
// points on top.
#pragma once

#include <string_view>
#include <vector>

#include "irn/report/palette-inl.h"
#include "irn/report/scale-inl.h"
#include "irn/report/svg-inl.h"

namespace irn::report {

struct PlotFrame {
  Box plot;
  Scale x, y;
};

void draw_series(Svg& out, const Panel& panel, const PlotFrame& frame, std::string_view prefix);

// Pixels that the series cover, a few apart: legends and labels should avoid them.
std::vector<Point> covered_pixels(const Panel& panel, const PlotFrame& frame);

// Draws the sample of a series in the legend, inside `box`.
void draw_swatch(Svg& out, const Series& series, Look look, const Box& box, std::string_view prefix);

// Whether any series has a point that the axes can show.
bool has_data(const Panel& panel);

}  // namespace irn::report
