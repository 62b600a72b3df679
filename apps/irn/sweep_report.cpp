#include "apps/irn/sweep_report.h"
#include "irn/report/time_words.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/sweep_teller.h"
#include "irn/base/file.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"
#include "irn/report/page.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;
using report::Align;
using report::Figure;
using report::Mark;
using report::Panel;
using report::Series;

std::string cell(double value) { return std::isnan(value) ? "" : write_value(value); }
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// All metrics of a result's folds, in their order.
std::vector<std::string> metric_list(const SweepState& state) {
  std::vector<std::string> names;
  for (const TrialResult& result : state.results)
    for (const Json& fold : result.folds) {
      if (fold.is_null()) continue;
      for (const auto& [key, value] : fold.at("metrics").items()) names.push_back(key);
      return names;
    }
  return names;
}

// Places of an option's values on an axis: numbers as they are, choices by their place in the list.
struct OptionAxis {
  report::Axis axis;
  std::vector<double> places;  // one a trial

  OptionAxis(const SweepPlan& plan, std::size_t k) {
    const SpaceOption& option = plan.space[k];
    axis = {.label = option.key, .log = option.log};
    bool numbers = true;
    for (const Trial& trial : plan.trials) {
      double value = 0;
      numbers = numbers && read_value(plain_value(trial.values[k]), value);
      places.push_back(value);
    }
    if (numbers) return;
    for (const std::string& choice : option.choices) axis.categories.push_back(plain_value(choice));
    for (std::size_t t = 0; t < plan.trials.size(); ++t)
      places[t] = double(std::find(option.choices.begin(), option.choices.end(), plan.trials[t].values[k]) -
                         option.choices.begin());
  }
};

// The last result of each trial: that of the rung it came to.
std::vector<const TrialResult*> last_results(const SweepPlan& plan, const SweepState& state) {
  std::vector<const TrialResult*> last(plan.trials.size(), nullptr);
  for (const TrialResult& result : state.results)
    if (result.complete) last[result.trial - 1] = &result;
  return last;
}

Figure options_figure(const SweepPlan& plan, const SweepState& state) {
  const std::string metric(name(plan.metric));
  Figure figure{.name = "options",
                .caption = "The score of every trial over each option: the mean over its folds."};
  const std::vector<const TrialResult*> last = last_results(plan, state);
  for (std::size_t k = 0; k < plan.space.size(); ++k) {
    if (!plan.space[k].varies()) continue;
    const OptionAxis option(plan, k);
    Series points{.label = "trials", .mark = Mark::points};
    for (std::size_t t = 0; t < last.size(); ++t)
      if (last[t]) points.x.push_back(option.places[t]), points.y.push_back(last[t]->mean(metric));
    figure.panels.push_back({.title = plan.space[k].key,
                             .x = option.axis,
                             .y = {.label = metric},
                             .series = {std::move(points)}});
  }
  return figure;
}

// A line a trial through its options, each from its least value (0) to its largest (1), and its score: the better tenth in colour.
Figure coordinates_figure(const SweepPlan& plan, const SweepState& state) {
  const std::vector<const TrialResult*> order = ranked(state, plan.metric);
  const std::string metric(name(plan.metric));
  std::vector<std::vector<double>> columns;
  Panel panel{.y = {.label = "from the least to the largest", .range = report::Range{-0.03, 1.03}},
              .legend = report::Legend::above};
  for (std::size_t k = 0; k < plan.space.size(); ++k) {
    if (!plan.space[k].varies()) continue;
    OptionAxis option(plan, k);
    if (option.axis.log)
      for (double& place : option.places) place = std::log(place);
    columns.push_back(std::move(option.places));
    panel.x.categories.push_back(plan.space[k].key);
  }
  panel.x.categories.push_back(metric);
  std::vector<double> scores(plan.trials.size(), NAN);
  for (const TrialResult* result : last_results(plan, state))
    if (result) scores[result->trial - 1] = result->mean(metric);
  columns.push_back(scores);
  for (std::vector<double>& column : columns) {
    double low = INFINITY, high = -INFINITY;
    for (const double v : column)
      if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
    for (double& v : column) v = high > low ? (v - low) / (high - low) : 0.5;
  }
  std::vector<bool> drawn(plan.trials.size(), false);
  std::vector<Series> better, others;
  for (const TrialResult* result : order) {
    const std::size_t t = result->trial - 1;
    if (drawn[t] || std::isnan(scores[t])) continue;
    drawn[t] = true;
    const bool good = better.size() < std::max<std::size_t>(1, plan.trials.size() / 10);
    Series line{.colour = good ? 1 : 6, .dash = 0};
    for (std::size_t c = 0; c < columns.size(); ++c)
      line.x.push_back(double(c)), line.y.push_back(columns[c][t]);
    if (good && better.empty()) line.label = "the better tenth";
    if (!good && others.empty()) line.label = "others";
    (good ? better : others).push_back(std::move(line));
  }
  panel.series = std::move(others);
  panel.series.insert(panel.series.end(), better.begin(), better.end());
  return {.name = "coordinates",
          .caption = "Every trial as a line through its options and its score.",
          .panels = {std::move(panel)},
          .columns = 1};
}

// From the log of the best model's training.
Figure curves_figure(const std::filesystem::path& log) {
  Series training{.label = "training, while the weights moved"}, judged{.label = "rows that judge"};
  std::istringstream lines(read_file(log));
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    const auto add = [&](Series& series, const char* key) {
      if (!record.contains(key) || record.at(key).is_null()) return;
      series.x.push_back(record.at("epoch").get<double>()), series.y.push_back(record.at(key).get<double>());
    };
    add(training, "loss"), add(judged, "validation_loss"), add(judged, "training_loss");
  }
  report::Axis epochs{.label = "epoch"};  // whole ones
  for (std::size_t i = 1; training.x.size() <= 10 && i <= training.x.size(); ++i)
    epochs.ticks.push_back(double(i));
  return {.name = "curves",
          .caption = "Loss of the best trial's training on all rows.",
          .panels = {{.x = std::move(epochs),
                      .y = {.label = "loss", .log = true},
                      .series = {std::move(training), std::move(judged)}}}};
}

report::Table trials_table(const SweepPlan& plan, const SweepState& state) {
  constexpr std::size_t most = 20;
  const std::string metric(name(plan.metric));
  report::Table table{.caption = fmt::format("The best trials (at most {}); trials.csv has all.", most),
                      .columns = {{"trial", Align::right},
                                  {metric, Align::right},
                                  {"deviation over folds", Align::right},
                                  {"settled (%)", Align::right},
                                  {"epochs", Align::right},
                                  {"seconds", Align::right}}};
  for (const SpaceOption& option : plan.space)
    if (option.varies()) table.columns.push_back({option.key, Align::right});
  for (const TrialResult* result : ranked(state, plan.metric)) {
    if (table.rows.size() == most) break;
    const auto folds = double(result->folds.size());
    table.rows.push_back({std::to_string(result->trial), fmt::format("{:.4f}", result->mean(metric)),
                          fmt::format("{:.4f}", result->spread(metric)),
                          fmt::format("{:.4g}", 100 * result->sum("settled") / folds),
                          std::to_string(result->epochs), fmt::format("{:.1f}", result->sum("seconds"))});
    for (std::size_t k = 0; k < plan.space.size(); ++k)
      if (plan.space[k].varies())
        table.rows.back().push_back(plain_value(plan.trials[result->trial - 1].values[k]));
  }
  return table;
}

}  // namespace

std::string sweep_text(const SweepPlan& plan, const SweepState& state) {
  constexpr std::size_t most = 10;
  const std::string metric(name(plan.metric));
  std::string text =
      fmt::format("{:>5}  {:>17}  {:>9}  {:>6}  options\n", "trial", metric, "deviation", "epochs");
  std::size_t shown = 0;
  for (const TrialResult* result : ranked(state, plan.metric)) {
    if (shown++ == most) break;
    text += fmt::format("{:>5}  {:>17.4f}  {:>9.4f}  {:>6}  {}{}\n", result->trial, result->mean(metric),
                        result->spread(metric), result->epochs,
                        trial_text(plan, plan.trials[result->trial - 1]), diverged_text(*result));
  }
  return text;
}

Json sweep_json(const SweepPlan& plan, const SweepState& state, const std::filesystem::path& out) {
  const std::vector<std::string> metrics = metric_list(state);
  Json json = {{"out", out.string()},
               {"model", (out / "best" / "model.safetensors").string()},
               {"metric", name(plan.metric)},
               {"best", ranked(state, plan.metric).front()->trial}};
  for (const TrialResult& result : state.results) {
    Json trial = {{"trial", result.trial}, {"epochs", result.epochs}, {"seconds", result.sum("seconds")}};
    for (std::size_t k = 0; k < plan.space.size(); ++k)
      trial["options"][plan.space[k].key] = plain_value(plan.trials[result.trial - 1].values[k]);
    for (const std::string& metric : metrics) trial["metrics"][metric] = number(result.mean(metric));
    trial["folds"] = result.folds;
    json["trials"].push_back(std::move(trial));
  }
  return json;
}

std::string trials_csv(const SweepPlan& plan, const SweepState& state) {
  const std::vector<std::string> metrics = metric_list(state);
  std::string text = "trial,rung,epochs,trainings,diverged,settled,seconds";
  for (const std::string& metric : metrics) text += "," + csv_cell(metric);
  text += ",deviation of " + std::string(name(plan.metric));
  for (const SpaceOption& option : plan.space) text += "," + csv_cell(option.key);
  for (const TrialResult& r : state.results) {
    text += fmt::format("\n{},{},{},{},{:g},{},{:.3f}", r.trial, r.rung + 1, r.epochs, r.folds.size(),
                        r.sum("diverged"), write_value(r.sum("settled") / double(r.folds.size())),
                        r.sum("seconds"));
    for (const std::string& metric : metrics) text += "," + cell(r.mean(metric));
    text += "," + cell(r.spread(std::string(name(plan.metric))));
    for (const std::string& value : plan.trials[r.trial - 1].values)
      text += "," + csv_cell(plain_value(value));
  }
  return text + "\n";
}

std::string sweep_page(const SweepPlan& plan, const SweepState& state, const std::string& data,
                       const std::string& settings, const std::filesystem::path& out) {
  const TrialResult& best = *ranked(state, plan.metric).front();
  const std::string metric(name(plan.metric));
  double seconds = 0;
  for (const TrialResult& r : state.results) seconds += r.sum("seconds");
  report::Page page("irn sweep " + data,
                    fmt::format("{} trials of {} trainings", plan.trials.size(), plan.folds.size()));
  page.facts({{"best " + metric, fmt::format("{:.4f}", best.mean(metric))},
              {"trial", std::to_string(best.trial)},
              {"options", trial_text(plan, plan.trials[best.trial - 1])},
              {"date", report::date_now()},
              {"trainings took", report::duration_text(seconds)}});
  page.section("Result").paragraph(
      "Every trial is judged by rows that its trainings did not see; the best of many is a little too good "
      "to be true, the more so the "
      "more were tried. best/ has the training of its options on all rows.");
  page.table(trials_table(plan, state));
  page.section("Options").figure(options_figure(plan, state)).figure(coordinates_figure(plan, state));
  page.section("Best").figure(curves_figure(out / "best" / "metrics.jsonl"));
  page.links({{"report of the best model", "best/report.html"}, {"trials.csv", "trials.csv"}});
  page.section("Configuration").command(settings);
  return page.html();
}

}  // namespace irn::app
