// Final test error over the number of hidden neurons and of parameters (figure 5 of the paper).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/large_parts.h"
#include "experiments/oscillator_training.h"
#include "experiments/spread.h"
#include "experiments/statistics.h"

namespace irn::experiments {
namespace {

std::vector<Job> jobs(const Protocol& protocol) { return jobs_of(protocol, sweep_runs(protocol)); }

struct SizePoint {
  std::size_t hidden = 0;
  double parameters = 0;
  std::vector<double> errors;
};

std::vector<SizePoint> points_of(const Protocol& p, const Results& results, NetworkKind kind) {
  std::vector<SizePoint> points;
  for (const std::size_t hidden : p.sweep_sizes()) {
    const OscillatorRun run{.kind = kind, .hidden = hidden};
    points.push_back({hidden, results.at(run.key()).at("parameters").get<double>(),
                      final_errors(results, run, p.sweep_repeats)});
  }
  return points;
}

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

// The error of a kind at a number of parameters, by straight lines between its points in logarithms.
double interpolate(const std::vector<SizePoint>& points, double parameters) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double x0 = std::log(points[i].parameters), x1 = std::log(points[i + 1].parameters),
                 x = std::log(parameters);
    if (x < x0 || x > x1) continue;
    const double y0 = std::log(estimate(points[i].errors).mean),
                 y1 = std::log(estimate(points[i + 1].errors).mean);
    return std::exp(y0 + (y1 - y0) * (x - x0) / (x1 - x0));
  }
  return std::nan("");
}

Claim ahead_claim(const Protocol& p, const Results& results) {
  Claim claim{
      .number = 8,
      .statement = "The exact network is ahead at every hidden size, and at equal numbers of parameters."};
  const auto exact = points_of(p, results, NetworkKind::exact);
  int certain = 0, ahead = 0, behind = 0, comparisons = 0, ahead_parameters = 0, parameter_points = 0;
  for (const NetworkKind kind : {NetworkKind::feed_forward, NetworkKind::semi}) {
    const auto others = points_of(p, results, kind);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const Estimate gap = paired_difference(others[i].errors, exact[i].errors);
      ++comparisons, ahead += gap.mean > 0, certain += gap.low() > 0, behind += gap.high() < 0;
      claim.numbers["hidden"].push_back({{"size", exact[i].hidden},
                                         {"against", name(kind)},
                                         {"difference", gap.mean},
                                         {"low", gap.low()},
                                         {"high", gap.high()}});
      const double other = interpolate(others, exact[i].parameters);
      if (!std::isfinite(other)) continue;
      ++parameter_points, ahead_parameters += estimate(exact[i].errors).mean < other;
    }
  }
  claim.measured = fmt::format(
      "Of {} comparisons with the other two over hidden size: ahead in the mean in {}, certainly ahead "
      "(95 %, differences within repeats) in {}, certainly behind in {}. At equal numbers of parameters "
      "(interpolated) ahead in {} of {}.",
      comparisons, ahead, certain, behind, ahead_parameters, parameter_points);
  const bool all = certain == comparisons && ahead_parameters == parameter_points;
  const bool most =
      4 * ahead >= 3 * comparisons && 4 * ahead_parameters >= 3 * parameter_points && behind == 0;
  claim.finding = all ? Finding::holds : most ? Finding::partly : Finding::fails;
  return claim;
}

// Slope of a least-squares line through (log size, value) of each repeat.
Estimate slope_over_size(const Protocol& p, const std::vector<std::vector<double>>& values) {
  const auto sizes = p.sweep_sizes();
  std::vector<double> slopes;
  for (std::size_t r = 0; r < p.sweep_repeats; ++r) {
    double mx = 0, my = 0, xx = 0, xy = 0;
    const double n = double(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
      mx += std::log(double(sizes[i])) / n, my += values[i][r] / n;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double x = std::log(double(sizes[i])) - mx;
      xx += x * x, xy += x * (values[i][r] - my);
    }
    slopes.push_back(xy / xx);
  }
  return estimate(slopes);
}

Claim semi_claim(const Protocol& p, const Results& results) {
  Claim claim{.number = 9,
              .statement = "The semi-gradient's disadvantage shrinks as the hidden layer grows."};
  const auto exact = points_of(p, results, NetworkKind::exact),
             semi = points_of(p, results, NetworkKind::semi);
  std::vector<std::vector<double>> differences, ratios;
  std::string listed;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    differences.emplace_back(), ratios.emplace_back();
    for (std::size_t r = 0; r < p.sweep_repeats; ++r) {
      differences[i].push_back(semi[i].errors[r] - exact[i].errors[r]);
      ratios[i].push_back(std::log(semi[i].errors[r] / exact[i].errors[r]));
    }
    const double ratio = std::exp(estimate(ratios[i]).mean);
    listed += fmt::format("{}{}: {:.2g} ({:.2f}x)", i ? ", " : "", exact[i].hidden,
                          estimate(differences[i]).mean, ratio);
    claim.numbers["sizes"].push_back(
        {{"size", exact[i].hidden}, {"difference", estimate(differences[i]).mean}, {"ratio", ratio}});
  }
  const Estimate of_difference = slope_over_size(p, differences), of_ratio = slope_over_size(p, ratios);
  claim.numbers["slope_of_difference"] = of_difference.mean;
  claim.numbers["slope_of_log_ratio"] = of_ratio.mean;
  claim.measured = fmt::format(
      "Error of semi-gradient minus exact (and their ratio) by hidden size: {}. Slope over log(size): of the "
      "difference {}, of the logarithm of the ratio {}.",
      listed, text(of_difference), text(of_ratio));
  const bool absolute = of_difference.high() < 0, relative = of_ratio.high() < 0;
  claim.finding = absolute && relative   ? Finding::holds
                  : absolute || relative ? Finding::partly
                                         : Finding::fails;
  return claim;
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
  std::vector<report::Table> tables;
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
          .claims = {ahead_claim(p, results), semi_claim(p, results)}};
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
