// Final test error over the number of hidden neurons and of parameters (figure 5 of the paper).
#include <fmt/format.h>

#include "experiments/claim_parts.h"
#include "experiments/large_parts.h"
#include "experiments/spread.h"
#include "experiments/sweep_claims.h"
#include "experiments/sweep_points.h"

namespace irn::experiments {
namespace {

std::vector<Job> jobs(const Protocol& protocol) { return jobs_of(protocol, sweep_runs(protocol)); }

report::Series series_of(const std::vector<SizePoint>& points, NetworkKind kind, bool over_parameters) {
  report::Series s{
      .label = std::string(name(kind)), .mark = report::Mark::both, .colour = static_cast<int>(kind)};
  for (const SizePoint& point : points) {
    const Estimate e = estimate(point.errors);
    s.x.push_back(over_parameters ? point.parameters : double(point.hidden));
    s.y.push_back(e.mean);
    s.low.push_back(e.mean - e.error);
    s.high.push_back(e.mean + e.error);
  }
  return s;
}

report::Figure figure_of(const Protocol& p, const Results& results) {
  report::Figure figure{
      .name = "sweep",
      .caption =
          fmt::format("Final test error over (a) hidden neurons and (b) parameters. Mean of {} repeats; "
                      "bands: standard deviation of the mean.",
                      p.sweep_repeats)};
  report::Panel a{.title = "(a) Over hidden neurons",
                  .x = {.label = "hidden neurons", .log = true},
                  .y = {.label = "mean squared error", .log = true}};
  report::Panel b{.title = "(b) Over parameters",
                  .x = {.label = "parameters", .log = true},
                  .y = {.label = "mean squared error", .log = true}};
  for (const NetworkKind kind : kinds) {
    const std::vector<SizePoint> points = points_of(p, results, kind);
    a.series.push_back(series_of(points, kind, false));
    b.series.push_back(series_of(points, kind, true));
  }
  figure.panels = {a, b};
  return figure;
}

report::Table means_by_size(const Protocol& p, const Results& results) {
  using report::Align;
  const auto forward = points_of(p, results, NetworkKind::feed_forward),
             semi = points_of(p, results, NetworkKind::semi),
             exact = points_of(p, results, NetworkKind::exact);
  report::Table table{
      .caption = fmt::format("Final test error by hidden size, and differences to exact within "
                             "repeats; {} repeats, intervals are 95 %.",
                             p.sweep_repeats),
      .columns = {{"hidden", Align::right}}};
  for (const char* title : {"feed-forward", "semi-gradient", "exact", "feed-forward minus exact",
                            "feed-forward with as many parameters minus exact", "semi-gradient minus exact",
                            "semi-gradient / exact"})
    table.columns.push_back({title, Align::right});
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const std::vector<double>& best = exact[i].errors;
    const auto minus_exact = [&](const std::vector<double>& errors) {
      return errors.empty() ? "" : text(paired_difference(errors, best));
    };
    const double ratio = std::exp(estimate(log_ratios(semi[i].errors, best)).mean);
    table.rows.push_back({fmt::format("{}", exact[i].hidden), text(estimate(forward[i].errors)),
                          text(estimate(semi[i].errors)), text(estimate(best)),
                          minus_exact(forward[i].errors),
                          minus_exact(errors_at(forward, exact[i].parameters)), minus_exact(semi[i].errors),
                          fmt::format("{:.2f}", ratio)});
  }
  return table;
}

// The three kinds of one size.
std::vector<Spread> spreads_of(const Protocol& p, const Results& results, std::size_t hidden) {
  std::vector<Spread> spreads;
  for (const NetworkKind kind : kinds)
    spreads.push_back(
        spread_of(results, {.kind = kind, .hidden = hidden}, p.sweep_repeats, std::string(name(kind))));
  return spreads;
}
report::Table spread_by_size(const Protocol& p, const Results& results) {
  std::vector<Spread> all;
  for (const std::size_t hidden : p.sweep_sizes())
    for (Spread& spread : spreads_of(p, results, hidden)) {
      spread.label += fmt::format(", {} hidden", hidden);
      all.push_back(std::move(spread));
    }
  return spread_table(fmt::format("{} repeats of every size, after the last epoch.", p.sweep_repeats), all);
}
report::Figure histograms_by_size(const Protocol& p, const Results& results) {
  report::Figure figure{
      .name = "sweep-spread",
      .caption = fmt::format("Final test error over {} repeats, by hidden neurons.", p.sweep_repeats)};
  char letter = 'a';
  for (const std::size_t hidden : p.sweep_sizes())
    figure.panels.push_back(
        histogram_panel(fmt::format("({}) {} hidden", letter++, hidden), spreads_of(p, results, hidden)));
  return figure;
}

PartReport assemble(const Protocol& p, const Results& results) {
  std::vector<report::Figure> figures = {figure_of(p, results)};
  std::vector<Claim> claims = {ahead_claim(p, results), semi_claim(p, results)};
  std::vector<report::Table> tables = {
      means_by_size(p, results),
      parts_table("Parts of claims 8 and 9. " + std::string(verdict_rule), claims)};
  if (p.sweep_repeats >= many_repeats) {
    figures.push_back(histograms_by_size(p, results));
    tables.push_back(spread_by_size(p, results));
  }
  return {.text = {fmt::format("Each network is trained as for the learning curves, with {} repeats a size; "
                               "the error is that of the "
                               "whole test set after the last epoch.",
                               p.sweep_repeats)},
          .figures = std::move(figures),
          .tables = std::move(tables),
          .claims = std::move(claims)};
}

}  // namespace

std::vector<OscillatorRun> sweep_runs(const Protocol& protocol) {
  std::vector<OscillatorRun> all;
  for (const std::size_t hidden : protocol.sweep_sizes())
    for (const NetworkKind kind : kinds)
      for (std::size_t r = 0; r < protocol.sweep_repeats; ++r)
        all.push_back({.kind = kind, .hidden = hidden, .repeat = r});
  return all;
}

Part sweep_part() { return {"sweep", "Error over hidden size and parameters", jobs, assemble}; }

}  // namespace irn::experiments
