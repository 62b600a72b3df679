#include "experiments/spread.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/small_parts.h"
#include "experiments/statistics.h"

namespace irn::experiments {
namespace {

std::vector<double> finite_ascending(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  std::sort(values.begin(), values.end());
  return values;
}

// Edges of the bins that all histograms share, evenly spaced in the logarithm.
std::vector<double> bin_edges(const std::vector<Spread>& spreads) {
  std::size_t repeats = 0;
  double low = INFINITY, high = 0;
  for (const Spread& s : spreads)
    for (const double e : finite_ascending(s.errors)) low = std::min(low, e), high = std::max(high, e);
  for (const Spread& s : spreads) repeats = std::max(repeats, s.errors.size());
  const std::size_t bins = std::clamp<std::size_t>(repeats / 3, 12, 60);  // some repeats each
  std::vector<double> edges;
  for (std::size_t k = 0; k <= bins && low < high; ++k)
    edges.push_back(low * std::pow(high / low, double(k) / double(bins)));
  return edges;
}

report::Series histogram(const Spread& spread, const std::vector<double>& edges) {
  report::Series s{.label = spread.label, .mark = report::Mark::steps, .colour = spread.colour};
  const std::vector<double> errors = finite_ascending(spread.errors);
  for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
    const bool last = k + 2 == edges.size();
    const auto from = std::lower_bound(errors.begin(), errors.end(), edges[k]),
               to = last ? errors.end() : std::lower_bound(errors.begin(), errors.end(), edges[k + 1]);
    s.x.push_back(edges[k]);
    s.y.push_back(double(to - from));
  }
  return s;
}

// The axis is logarithmic: the line ends at the worst run, with the share of a single run, instead of falling
// to zero.
report::Series share_above(const Spread& spread) {
  report::Series s{.label = spread.label, .mark = report::Mark::steps, .colour = spread.colour};
  const std::vector<double> errors = finite_ascending(spread.errors);
  for (std::size_t k = 0; k < errors.size(); ++k) {
    s.x.push_back(errors[k]);
    s.y.push_back(double(std::max<std::size_t>(spread.errors.size() - k - 1, 1)) /
                  double(spread.errors.size()));
  }
  return s;
}

}  // namespace

Spread spread_of(const Results& results, const OscillatorRun& run, std::size_t repeats, std::string label) {
  Spread spread{.label = std::move(label),
                .colour = static_cast<int>(run.kind),
                .errors = final_errors(results, run, repeats),
                .lost = {}};
  OscillatorRun one = run;
  for (one.repeat = 0; one.repeat < repeats; ++one.repeat)
    spread.lost.push_back(1 - results.at(one.key()).at("test").back().at("settled").get<double>());
  return spread;
}

std::size_t bad_runs(const Spread& spread) {
  const double limit = bad_factor * quantile(finite_ascending(spread.errors), 0.5);
  return static_cast<std::size_t>(
      std::count_if(spread.errors.begin(), spread.errors.end(), [&](double e) { return !(e <= limit); }));
}

report::Panel histogram_panel(std::string title, const std::vector<Spread>& spreads) {
  report::Panel panel{
      .title = std::move(title), .x = {.label = "final test error", .log = true}, .y = {.label = "repeats"}};
  const std::vector<double> edges = bin_edges(spreads);
  for (const Spread& spread : spreads) panel.series.push_back(histogram(spread, edges));
  return panel;
}

report::Figure spread_figure(std::string name, std::string caption, const std::vector<Spread>& spreads) {
  report::Panel tail{.title = "(b) The tail",
                     .x = {.label = "final test error", .log = true},
                     .y = {.label = "share of repeats above", .log = true}};
  for (const Spread& spread : spreads) tail.series.push_back(share_above(spread));
  return {.name = std::move(name),
          .caption = std::move(caption),
          .panels = {histogram_panel("(a) Repeats by error", spreads), tail}};
}

report::Table spread_table(const std::string& caption, const std::vector<Spread>& spreads) {
  using report::Align;
  report::Table table{
      .caption =
          caption +
          fmt::format(
              " Bad runs have an error above {} times the median. Lost: test samples without an answer, in a "
              "million.",
              bad_factor),
      .columns = {{"network"},
                  {"mean", Align::right},
                  {"median", Align::right},
                  {"5 to 95 %", Align::right},
                  {"worst", Align::right},
                  {"bad runs", Align::right},
                  {"lost, mean", Align::right},
                  {"lost, worst", Align::right},
                  {"repeats that lose", Align::right}}};
  for (const Spread& s : spreads) {
    const std::vector<double> finite = finite_ascending(s.errors);
    const auto some = static_cast<std::size_t>(
        std::count_if(s.lost.begin(), s.lost.end(), [](double share) { return share > 0; }));
    const double runs = double(s.errors.size());
    table.rows.push_back({s.label, text(estimate(finite)), fmt::format("{:.4f}", quantile(finite, 0.5)),
                          fmt::format("{:.4f} to {:.4f}", quantile(finite, 0.05), quantile(finite, 0.95)),
                          fmt::format("{:.4f}", quantile(finite, 1)),
                          fmt::format("{:.1f} %", 100 * double(bad_runs(s)) / runs),
                          fmt::format("{:.3g}", 1e6 * estimate(s.lost).mean),
                          fmt::format("{:.3g}", 1e6 * quantile(s.lost, 1)),
                          fmt::format("{:.1f} %", 100 * double(some) / runs)});
  }
  return table;
}

}  // namespace irn::experiments
