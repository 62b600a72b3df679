#include "experiments/spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace irn::experiments {
namespace {

Spread hundred() {
  Spread spread{.label = "exact", .colour = 2, .errors = {}, .lost = std::vector<double>(100, 0.0)};
  for (int k = 1; k <= 100; ++k) spread.errors.push_back(0.02 + 1e-5 * k);
  return spread;
}

TEST(Spread, TellsBadRuns) {
  Spread spread = hundred();
  EXPECT_EQ(bad_runs(spread), 0u);
  spread.errors[3] = 0.04;
  spread.errors[7] = std::nan("");  // answered nothing
  EXPECT_EQ(bad_runs(spread), 2u);
}

TEST(Spread, DrawsEveryRepeatOnce) {
  Spread spread = hundred();
  spread.errors[0] = std::nan("");
  const report::Figure figure = spread_figure("spread", "all", {spread});
  const std::vector<double>& counts = figure.panels[0].series[0].y;
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 99);
  const std::vector<double>& above = figure.panels[1].series[0].y;
  EXPECT_NEAR(above.front(), 0.99, 1e-12);
  EXPECT_EQ(above.size(), 99u);
  EXPECT_NO_THROW(report::svg(figure));
  EXPECT_GT(spread_figure("spread", "all", {hundred()}).panels[1].series[0].y.back(),
            0);  // the worst run is drawn
  spread.lost[5] = 0.5;
  const report::Table table = spread_table("all", {spread});
  EXPECT_EQ(table.rows[0].size(), table.columns.size());
  EXPECT_EQ(table.rows[0][7].text, "5e+05");
  EXPECT_EQ(table.rows[0].back().text, "1.0 %");
}

}  // namespace
}  // namespace irn::experiments
