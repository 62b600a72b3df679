#include "apps/irn/insight_figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace irn::app {

using report::Panel;
using report::Series;

report::Figure settling_figure(const TrainInsight& insight) {
  Panel residual{.title = "(a) Residual", .x = {.label = "time"}, .y = {.label = "residual", .log = true}};
  Panel neuron{.title = "(b) The neuron that moves most",
               .x = {.label = "time"},
               .y = {.label = "its value"},
               .legend = report::Legend::none};
  residual.references.push_back({.at = insight.tolerance, .label = "tolerance"});
  constexpr double longest = 60;  // what does not settle is drawn up to this time
  for (const RowPath& row : insight.paths) {
    const Trajectory& way = row.path.way;
    Series r{.label = row.name}, z{.label = row.name};
    for (std::size_t k = 0; k < way.times.size() && way.times[k] <= longest; ++k) {
      r.x.push_back(way.times[k]), r.y.push_back(way.residuals[k]);
      z.x.push_back(way.times[k]), z.y.push_back(way.state(k)[row.path.widest]);
    }
    residual.series.push_back(std::move(r)), neuron.series.push_back(std::move(z));
  }
  return {
      .name = "settling",
      .caption =
          "How three rows settle: dz/dt = F(z) - z from rest, for the rows that took the fewest, a middle "
          "number of and the most evaluations. Time is in units of a lone neuron's time constant.",
      .panels = {std::move(residual), std::move(neuron)}};
}

report::Figure importance_figure(const TrainInsight& insight) {
  std::vector<const PermutationImportance*> order;
  for (const PermutationImportance& column : insight.importance) order.push_back(&column);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return std::pair(-a->mean(), a) < std::pair(-b->mean(), b);  // equal ones in the order of the columns
  });
  constexpr std::size_t most = 20;
  order.resize(std::min(most, order.size()));
  const std::string metric(name(insight.importance_metric));
  Series bars{.mark = report::Mark::bars};
  Panel panel{.x = {.label = "column"}, .y = {.label = "drop of the " + metric}};
  for (const PermutationImportance* column : order) {
    const double half = std::isnan(column->deviation()) ? 0 : column->deviation();
    panel.x.categories.push_back(column->column);
    bars.x.push_back(double(bars.x.size())), bars.y.push_back(column->mean());
    bars.low.push_back(column->mean() - half), bars.high.push_back(column->mean() + half);
  }
  panel.series.push_back(std::move(bars));
  return {.name = "importance",
          .caption = fmt::format(
              "By how much the {} falls when a column's values are dealt among {} of the rows that "
              "judge{}; irn importance tells it of all, with exact sensitivities.",
              metric, insight.importance_rows,
              insight.importance.size() > most ? ", of the twenty columns that matter most" : ""),
          .panels = {std::move(panel)},
          .columns = 1,
          .plot_width = 700};
}

}  // namespace irn::app
