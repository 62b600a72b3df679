// Heat maps and confusion matrices: shaded cells with their numbers, and the bar that explains the shades.
#pragma once

#include "irn/report/axes-inl.h"

namespace irn::report {

// The panel, with the names of rows and columns as the categories of its axes.
Panel with_matrix_axes(const Panel& panel);

// The width of the plot: cells are at most 1.5 times as wide as high.
double matrix_width(const Matrix& matrix, double width, double height);

double colour_bar_width(const Matrix& matrix);  // the margin to the right of the plot
void draw_cells(Svg& out, const Matrix& matrix, const PlotFrame& frame);
void draw_colour_bar(Svg& out, const Matrix& matrix, const PlotFrame& frame);

}  // namespace irn::report
