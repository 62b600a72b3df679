// Learning curves of the three networks (figure 4 of the paper), with what the paper does not show: how many
// equilibria settled.
#include <fmt/format.h>

#include "experiments/large_parts.h"
#include "experiments/oscillator_training.h"
#include "experiments/spread.h"
#include "experiments/statistics.h"

namespace irn::experiments {
namespace {

OscillatorRun curve_run(const Protocol& protocol, NetworkKind kind) {
  return {.kind = kind, .hidden = protocol.hidden, .curve = true};
}

std::vector<Job> jobs(const Protocol& protocol) { return jobs_of(protocol, curve_runs(protocol)); }

double number_or_nan(const Json& value) { return value.is_number() ? value.get<double>() : std::nan(""); }

// values[point][repeat] of one quantity of one kind.
using Values = std::vector<std::vector<double>>;

Values train_values(const Protocol& p, const Results& results, NetworkKind kind, const char* field) {
  Values values(p.epochs);
  OscillatorRun run = curve_run(p, kind);
  for (run.repeat = 0; run.repeat < p.repeats; ++run.repeat) {
    const Json& of_run = results.at(run.key()).at("train").at(field);
    for (std::size_t e = 0; e < p.epochs; ++e) values[e].push_back(number_or_nan(of_run.at(e)));
  }
  return values;
}

Values test_values(const Protocol& p, const Results& results, NetworkKind kind, const std::string& pointer) {
  OscillatorRun run = curve_run(p, kind);
  Values values(results.at(run.key()).at("test").size());
  const Json::json_pointer place(pointer);
  for (run.repeat = 0; run.repeat < p.repeats; ++run.repeat) {
    const Json& of_run = results.at(run.key()).at("test");
    for (std::size_t e = 0; e < values.size(); ++e)
      values[e].push_back(number_or_nan(of_run.at(e).at(place)));
  }
  return values;
}

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

// The mean of the last tenth of the epochs of each repeat.
std::vector<double> late_training_error(const Protocol& p, const Values& values) {
  const std::size_t last = std::max<std::size_t>(1, p.epochs / 10);
  std::vector<double> errors(p.repeats, 0.0);
  for (std::size_t e = p.epochs - last; e < p.epochs; ++e)
    for (std::size_t r = 0; r < p.repeats; ++r) errors[r] += values[e][r] / double(last);
  return errors;
}

Claim order_claim(const Protocol& p, const Results& results) {
  Claim claim{.number = 6,
              .statement = fmt::format(
                  "Oscillator, {} hidden neurons: exact beats semi-gradient beats feed-forward, in "
                  "training and in test error.",
                  p.hidden)};
  int certain = 0, reversed = 0;
  for (const bool test : {false, true}) {
    std::vector<double> errors[3];
    for (const NetworkKind kind : kinds)
      errors[static_cast<std::size_t>(kind)] =
          test ? final_errors(results, curve_run(p, kind), p.repeats)
               : late_training_error(p, train_values(p, results, kind, "loss"));
    claim.measured +=
        fmt::format("{}: feed-forward {}, semi-gradient {}, exact {}. ", test ? "Test" : "Training",
                    text(estimate(errors[0])), text(estimate(errors[1])), text(estimate(errors[2])));
    for (int k = 0; k < 2; ++k) {
      const Estimate gap = paired_difference(errors[k], errors[k + 1]);
      certain += gap.low() > 0;
      reversed += gap.high() < 0;
      claim.numbers[test ? "test" : "training"].push_back({{"better", name(kinds[k + 1])},
                                                           {"than", name(kinds[k])},
                                                           {"difference", gap.mean},
                                                           {"low", gap.low()},
                                                           {"high", gap.high()}});
    }
  }
  claim.measured += fmt::format("{} of 4 differences within repeats are certainly positive (95 %).", certain);
  claim.finding = certain == 4                   ? Finding::holds
                  : certain > 0 && reversed == 0 ? Finding::partly
                                                 : Finding::fails;
  return claim;
}

// Spread from epoch to epoch within a run, over the second half of training, relative to the mean error.
std::vector<double> fluctuation(const Protocol& p, const Values& values) {
  std::vector<double> result;
  for (std::size_t r = 0; r < p.repeats; ++r) {
    std::vector<double> late;
    for (std::size_t e = p.epochs / 2; e < p.epochs; ++e) late.push_back(values[e][r]);
    result.push_back(estimate(late).error * std::sqrt(double(late.size())));
  }
  return result;
}

double spread_over_repeats(const Protocol& p, const Values& values) {
  double sum = 0;
  for (const auto& repeats : values)
    sum += estimate(repeats).error * std::sqrt(double(p.repeats)) / double(values.size());
  return sum;
}

Claim variance_claim(const Protocol& p, const Results& results) {
  Claim claim{.number = 7, .statement = "The feed-forward network's training error has the larger variance."};
  std::vector<double> within[3];
  double between[3];
  for (const NetworkKind kind : kinds) {
    const std::size_t k = static_cast<std::size_t>(kind);
    const Values values = train_values(p, results, kind, "loss");
    within[k] = fluctuation(p, values);
    between[k] = spread_over_repeats(p, values);
    claim.numbers.push_back({{"network", name(kind)},
                             {"within_runs", estimate(within[k]).mean},
                             {"between_repeats", between[k]}});
  }
  const bool within_larger =
      paired_difference(within[0], within[1]).low() > 0 && paired_difference(within[0], within[2]).low() > 0;
  const bool between_larger = between[0] > between[1] && between[0] > between[2];
  claim.measured = fmt::format(
      "Standard deviation of an epoch's training error from epoch to epoch (second half of training): "
      "feed-forward {}, "
      "semi-gradient {}, exact {}. Between repeats at the same epoch: {:.3g}, {:.3g}, {:.3g}.",
      text(estimate(within[0])), text(estimate(within[1])), text(estimate(within[2])), between[0], between[1],
      between[2]);
  claim.finding = within_larger && between_larger   ? Finding::holds
                  : within_larger || between_larger ? Finding::partly
                                                    : Finding::fails;
  return claim;
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
