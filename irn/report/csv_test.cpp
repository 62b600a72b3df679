#include "irn/report/csv.h"

#include <gtest/gtest.h>

#include <limits>

namespace irn::report {
namespace {

TEST(Csv, IsTidyAndReadsBackToTheSameNumbers) {
  const Figure figure{
      .panels = {{.title = "(a) Error",
                  .series = {{.label = "exact, mean", .x = {0, 0.1}, .y = {1.0 / 3, 1e-300}},
                             {.label = "band", .x = {2}, .y = {3}, .low = {2.5}, .high = {3.5}}}}}};
  EXPECT_EQ(figure_csv(figure),
            "panel,series,x,y,low,high\n"
            "(a) Error,\"exact, mean\",0,0.3333333333333333,,\n"
            "(a) Error,\"exact, mean\",0.1,1e-300,,\n"
            "(a) Error,band,2,3,2.5,3.5\n");
}

TEST(Csv, NamesCategoriesAndCells) {
  const Panel bars{.x = {.categories = {"NOR", "say \"AND\""}},
                   .series = {{.label = "seeds", .x = {0, 1}, .y = {7, 5}}}};
  const Panel cells{.matrix = Matrix{.rows = {"cat", "dog"}, .columns = {"c"}, .values = {1, 2}}};
  EXPECT_EQ(figure_csv({.panels = {bars, cells}}),
            "panel,series,x,y,low,high\n1,seeds,NOR,7,,\n1,seeds,\"say "
            "\"\"AND\"\"\",5,,\n2,cat,c,1,,\n2,dog,c,2,,\n");
}

TEST(Csv, KeepsWhatAFigureCannotShow) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(figure_csv({.panels = {{.series = {{.x = {1, 2}, .y = {inf, -inf}}}}}}),
            "panel,series,x,y,low,high\n1,,1,inf,,\n1,,2,-inf,,\n");
}

}  // namespace
}  // namespace irn::report
