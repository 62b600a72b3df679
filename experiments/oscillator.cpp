// Learning curves of the three networks (figure 4 of the paper), with the share of equilibria that settled,
// which the paper does not show.
#include <fmt/format.h>

#include "experiments/claim_parts.h"
#include "experiments/large_parts.h"
#include "experiments/oscillator_claims.h"
#include "experiments/oscillator_curves.h"
#include "experiments/spread.h"
#include "experiments/statistics.h"

namespace irn::experiments {
namespace {

std::vector<Job> jobs(const Protocol& protocol) { return jobs_of(protocol, curve_runs(protocol)); }

report::Series series_of(const Values& values, NetworkKind kind, double first_epoch, double epochs_a_point,
                         std::string label) {
  report::Series s{.label = std::move(label), .colour = static_cast<int>(kind)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Estimate e = estimate(values[i]);
    s.x.push_back(first_epoch + epochs_a_point * double(i));
    s.y.push_back(e.mean);
    s.low.push_back(e.mean - e.error);
    s.high.push_back(e.mean + e.error);
  }
  return s;
}

report::Figure curves(const Protocol& p, const Results& results) {
  report::Figure figure{
      .name = "oscillator-curves",
      .caption = fmt::format(
          "Oscillator, {} hidden neurons: (a) training error of the samples of each epoch, (b) error on "
          "the {} test samples. Mean of {} repeats; bands: standard deviation of the mean.",
          p.hidden, p.test_samples, p.repeats)};
  report::Panel train{.title = "(a) Training error",
                      .x = {.label = "epoch"},
                      .y = {.label = "mean squared error", .log = true}};
  report::Panel test{
      .title = "(b) Test error", .x = {.label = "epoch"}, .y = {.label = "mean squared error", .log = true}};
  for (const NetworkKind kind : kinds) {
    train.series.push_back(
        series_of(train_values(p, results, kind, "loss"), kind, 1, 1, std::string(name(kind))));
    const double every = double(p.test_every);
    test.series.push_back(
        series_of(test_values(p, results, kind, "/loss"), kind, every, every, std::string(name(kind))));
  }
  figure.panels = {train, test};
  return figure;
}

report::Figure settling(const Protocol& p, const Results& results) {
  report::Figure figure{.name = "oscillator-settling",
                        .caption =
                            "What the learning curves stand on: (a) share of test samples that settle, by "
                            "the default solver (on the "
                            "whole test set) and by the paper's RK4 x 30 (tolerance 1e-5, 1,000 samples); "
                            "(b) evaluations of the "
                            "network a test sample by the default solver; (c) median residual that RK4 x 30 "
                            "leaves. Bands: standard "
                            "deviation of the mean."};
  report::Panel share{.title = "(a) Share settled",
                      .x = {.label = "epoch"},
                      .y = {.label = "share", .range = report::Range{0, 1.03}}};
  report::Panel work{
      .title = "(b) Evaluations", .x = {.label = "epoch"}, .y = {.label = "evaluations a sample"}};
  report::Panel rest{
      .title = "(c) RK4 x 30", .x = {.label = "epoch"}, .y = {.label = "median residual", .log = true}};
  const double every = double(p.test_every);
  for (const NetworkKind kind : {NetworkKind::semi, NetworkKind::exact}) {
    const std::string label(name(kind));
    share.series.push_back(
        series_of(test_values(p, results, kind, "/settled"), kind, every, every, label + ", default"));
    report::Series paper = series_of(test_values(p, results, kind, "/paper_solver/settled"), kind, every,
                                     every, label + ", RK4 x 30");
    paper.dash = 3;
    share.series.push_back(paper);
    work.series.push_back(
        series_of(test_values(p, results, kind, "/evaluations"), kind, every, every, label));
    rest.series.push_back(
        series_of(test_values(p, results, kind, "/paper_solver/median_residual"), kind, every, every, label));
  }
  figure.panels = {share, work, rest};
  return figure;
}

report::Table per_seed(const Protocol& p, const Results& results) {
  report::Table table{.caption = "Final test error of every repeat; a row shares start and samples.",
                      .columns = {{"repeat", report::Align::right}}};
  std::vector<double> errors[3];
  for (const NetworkKind kind : kinds) {
    table.columns.push_back({std::string(name(kind)), report::Align::right});
    errors[static_cast<std::size_t>(kind)] = final_errors(results, curve_run(p, kind), p.repeats);
  }
  for (std::size_t r = 0; r < p.repeats; ++r)
    table.rows.push_back({fmt::format("{}", r), fmt::format("{:.5f}", errors[0][r]),
                          fmt::format("{:.5f}", errors[1][r]), fmt::format("{:.5f}", errors[2][r])});
  return table;
}

report::Table settled_table(const Protocol& p, const Results& results) {
  using report::Align;
  report::Table table{.caption =
                          "Test samples that settle after the last epoch, on average: by the default solver, "
                          "and by the paper's RK4 x 30.",
                      .columns = {{"network"},
                                  {"default", Align::right},
                                  {"evaluations a sample", Align::right},
                                  {"RK4 x 30", Align::right}}};
  for (const NetworkKind kind : {NetworkKind::semi, NetworkKind::exact}) {
    const auto last = [&](const char* place) {
      return estimate(test_values(p, results, kind, place).back()).mean;
    };
    table.rows.push_back({std::string(name(kind)), fmt::format("{:.4f} %", 100 * last("/settled")),
                          fmt::format("{:.1f}", last("/evaluations")),
                          fmt::format("{:.1f} %", 100 * last("/paper_solver/settled"))});
  }
  return table;
}

PartReport assemble(const Protocol& p, const Results& results) {
  PartReport report;
  report.text = {
      fmt::format("Networks with {} hidden neurons learn to tell w0 and d of a damped oscillator from {} "
                  "points of its trajectory. "
                  "Adam, rate {}, batches of {}, {} steps an epoch, {} epochs, {} repeats.",
                  p.hidden, p.points, p.rate, p.batch, p.steps_per_epoch, p.epochs, p.repeats)};
  report.figures = {curves(p, results), settling(p, results)};
  if (p.repeats < many_repeats) {
    report.tables = {per_seed(p, results)};
  } else {
    std::vector<Spread> spreads;
    for (const NetworkKind kind : kinds)
      spreads.push_back(spread_of(results, curve_run(p, kind), p.repeats, std::string(name(kind))));
    report.figures.push_back(spread_figure(
        "oscillator-spread", fmt::format("Final test error over {} repeats.", p.repeats), spreads));
    report.tables = {spread_table(fmt::format("{} repeats, after the last epoch.", p.repeats), spreads)};
  }
  report.claims = {order_claim(p, results), variance_claim(p, results)};
  report.tables.push_back(settled_table(p, results));
  report.tables.push_back(
      parts_table("Parts of claims 6 and 7. " + std::string(verdict_rule), report.claims));
  return report;
}

}  // namespace

std::vector<OscillatorRun> curve_runs(const Protocol& protocol) {
  std::vector<OscillatorRun> all;
  for (const NetworkKind kind : kinds)
    for (std::size_t r = 0; r < protocol.repeats; ++r) {
      all.push_back(curve_run(protocol, kind));
      all.back().repeat = r;
    }
  return all;
}

Part oscillator_part() { return {"oscillator", "Learning curves on the damped oscillator", jobs, assemble}; }

}  // namespace irn::experiments
