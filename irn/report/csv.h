// The numbers of a figure as tidy CSV: one row for each point, with the columns panel,series,x,y,low,high.
// Numbers are the shortest that read back to the same double; a cell of a matrix is (series = row, x =
// column).
#pragma once

#include <string>

#include "irn/report/figure.h"

namespace irn::report {

std::string figure_csv(const Figure& figure);

}  // namespace irn::report
