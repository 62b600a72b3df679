// The depth study's figures and tables.
#include <algorithm>

#include <fmt/format.h>

#include "experiments/depth/growth.h"

namespace irn::experiments {
namespace {

report::Series curve(const DepthTask& task, const Method& m, std::vector<double> Measured::* what) {
  report::Series series{.label = std::string(m.label), .mark = report::Mark::both, .colour = m.colour};
  for (std::size_t depth = 1; depth <= task.deepest; ++depth) {
    const Estimate e = estimate(task.at(m, depth).*what);
    series.x.push_back(double(depth)), series.y.push_back(e.mean);
    // An interval that reaches zero has no lower end on a logarithmic axis.
    series.low.push_back(task.log ? std::max(e.low(), e.mean / 10) : e.low()),
        series.high.push_back(e.high());
  }
  return series;
}

report::Table by_depth(const DepthTask& task, const std::string& caption) {
  report::Table table{.caption = caption, .columns = {{"network"}}};
  for (std::size_t depth = 1; depth <= task.deepest; ++depth)
    table.columns.push_back({fmt::format("{} hidden", depth), report::Align::right});
  return table;
}

template <class Text>
report::Table filled(report::Table table, const DepthTask& task, bool recurrent_only, const Text& text_of) {
  for (const Method& m : depth_methods()) {
    if (recurrent_only && !m.recurrent) continue;
    std::vector<report::Cell> row = {std::string(m.label)};
    for (std::size_t depth = 1; depth <= task.deepest; ++depth) row.emplace_back(text_of(m, depth));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

report::Figure depth_figure(const DepthTask& task, const std::string& caption) {
  report::Figure figure{.name = "depth-" + task.name, .caption = caption};
  report::Panel value{.title = "(a) " + task.value,
                      .x = {.label = "hidden layers"},
                      .y = {.label = task.value, .log = task.log},
                      .legend = report::Legend::above},
      evaluations{.title = "(b) evaluations a sample",
                  .x = {.label = "hidden layers"},
                  .y = {.label = "evaluations"},
                  .legend = report::Legend::none};
  for (std::size_t depth = 1; depth <= task.deepest; ++depth) {
    value.x.ticks.push_back(double(depth));
    evaluations.x.ticks.push_back(double(depth));
  }
  for (const Method& m : depth_methods()) {
    value.series.push_back(curve(task, m, &Measured::value));
    evaluations.series.push_back(curve(task, m, &Measured::evaluations));
  }
  figure.panels = {value, evaluations};
  return figure;
}

std::vector<report::Table> depth_tables(const DepthTask& task) {
  return {
      filled(by_depth(task,
                      fmt::format("{}: {} by hidden layers, with 95 % intervals.", task.label, task.value)),
             task, false,
             [&](const Method& m, std::size_t depth) { return text(estimate(task.at(m, depth).value)); }),
      filled(by_depth(task, task.label + ": evaluations a held-out sample, share settled, seconds a run."),
             task, true,
             [&](const Method& m, std::size_t depth) {
               const Measured one = task.at(m, depth);
               return fmt::format("{:.1f}, {}, {:.2g} s", mean(one.evaluations),
                                  settled_text(mean(one.settled)), mean(one.seconds));
             }),
      filled(by_depth(task, task.label + ": hidden layers, and parameters."), task, false,
             [&](const Method& m, std::size_t depth) {
               return fmt::format("{}: {}", widths_text(task.widths(m, depth)), task.parameters(m, depth));
             })};
}

}  // namespace irn::experiments
