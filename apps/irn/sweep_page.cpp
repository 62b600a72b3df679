#include "apps/irn/sweep_page.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/counted.h"
#include "apps/irn/sweep_teller.h"
#include "irn/base/file.h"
#include "irn/base/options_text.h"
#include "irn/report/page.h"
#include "irn/report/time_words.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;
using report::Align;
using report::Figure;
using report::Mark;
using report::Panel;
using report::Series;

bool in_rungs(const SweepPlan& plan) { return plan.rungs.size() > 1; }

// Positions of an option's values on an axis: numbers by value, choices by their place in the list.
struct OptionAxis {
  report::Axis axis;
  std::vector<double> places;  // one for each trial

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

Figure options_figure(const SweepPlan& plan, const SweepState& state) {
  const std::string metric(name(plan.metric));
  Figure figure{.name = "options",
                .caption = "The score of every trial over each option: the mean over its folds."};
  if (in_rungs(plan)) figure.caption += " Only points of one colour compare.";
  for (std::size_t k = 0; k < plan.space.size(); ++k) {
    if (!plan.space[k].varies()) continue;
    const OptionAxis option(plan, k);
    Panel panel{.title = plan.space[k].key, .x = option.axis, .y = {.label = metric}};
    for (std::size_t rung = 0; rung < plan.rungs.size(); ++rung) {
      Series points{.label = in_rungs(plan) ? rung_text(plan, state, rung) : "trials", .mark = Mark::points};
      for (const TrialResult& result : state.results)
        if (result.rung == rung && result.complete)
          points.x.push_back(option.places[result.trial - 1]), points.y.push_back(result.mean(metric));
      panel.series.push_back(std::move(points));
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

// Scales to 0 for the least value and 1 for the largest.
void stretch(std::vector<double>& values) {
  double low = INFINITY, high = -INFINITY;
  for (const double v : values)
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  for (double& v : values) v = high > low ? (v - low) / (high - low) : 0.5;
}

// One column for each option that varies, over all trials.
std::vector<std::vector<double>> coordinates(const SweepPlan& plan) {
  std::vector<std::vector<double>> columns;
  for (std::size_t k = 0; k < plan.space.size(); ++k) {
    if (!plan.space[k].varies()) continue;
    OptionAxis option(plan, k);
    if (option.axis.log)
      for (double& place : option.places) place = std::log(place);
    stretch(option.places);
    columns.push_back(std::move(option.places));
  }
  return columns;
}

// A line for each trial through its options and its score; in colour those that reached the next rung, on the
// last rung the best tenth.
Panel coordinates_panel(const SweepPlan& plan, const SweepState& state, std::size_t rung) {
  const std::string metric(name(plan.metric));
  const bool last = rung + 1 == plan.rungs.size();
  Panel panel{.y = {.label = "from the least to the largest", .range = report::Range{-0.03, 1.03}},
              .legend = report::Legend::above};
  for (const SpaceOption& option : plan.space)
    if (option.varies()) panel.x.categories.push_back(option.key);
  panel.x.categories.push_back(metric);
  std::vector<const TrialResult*> order = ranked_on(rung, state, plan.metric);
  std::erase_if(order, [&](const TrialResult* r) { return std::isnan(r->mean(metric)); });
  if (in_rungs(plan))
    panel.title = fmt::format("{}, {}", rung_text(plan, state, rung), counted(order.size(), "trial"));
  const std::size_t good =
      last ? std::max<std::size_t>(1, order.size() / 10) : ranked_on(rung + 1, state, plan.metric).size();
  std::vector<double> scores;
  for (const TrialResult* result : order) scores.push_back(result->mean(metric));
  stretch(scores);
  const std::vector<std::vector<double>> columns = coordinates(plan);
  for (std::size_t k = order.size(); k-- > 0;) {  // the better ones on top
    Series line{.colour = k < good ? 1 : 6, .dash = 0};
    for (const std::vector<double>& column : columns)
      line.x.push_back(double(line.x.size())), line.y.push_back(column[order[k]->trial - 1]);
    line.x.push_back(double(line.x.size())), line.y.push_back(scores[k]);
    if (k == 0) line.label = last ? "the better tenth" : "went on";
    if (k == good) line.label = "others";
    panel.series.push_back(std::move(line));
  }
  return panel;
}

Figure coordinates_figure(const SweepPlan& plan, const SweepState& state) {
  Figure figure{.name = "coordinates",
                .caption = "Every trial as a line through its options and its score.",
                .columns = 1};
  for (std::size_t rung = plan.rungs.size(); rung-- > 0;)  // a rung with a single trial compares nothing
    if (!in_rungs(plan) || ranked_on(rung, state, plan.metric).size() > 1)
      figure.panels.push_back(coordinates_panel(plan, state, rung));
  return figure;
}

// Curves from the log of the best model's training.
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

report::Table trials_table(const SweepPlan& plan, const SweepState& state, std::size_t rung) {
  const std::size_t most = in_rungs(plan) ? 10 : 20;
  const std::string metric(name(plan.metric));
  const std::vector<const TrialResult*> order = ranked_on(rung, state, plan.metric);
  report::Table table{.caption = fmt::format("The best trials (at most {}); trials.csv has all.", most),
                      .columns = {{"rank", Align::right},
                                  {"trial", Align::right},
                                  {"epochs given", Align::right},
                                  {metric, Align::right},
                                  {"deviation over folds", Align::right},
                                  {"settled (%)", Align::right},
                                  {"seconds", Align::right}}};
  if (in_rungs(plan))
    table.caption = fmt::format("{}: {}{}.", rung_text(plan, state, rung), counted(order.size(), "trial"),
                                order.size() > most ? fmt::format(", of which the best {}", most) : "");
  for (const SpaceOption& option : plan.space)
    if (option.varies()) table.columns.push_back({option.key, Align::right});
  for (const TrialResult* result : order) {
    if (table.rows.size() == most) break;
    const auto folds = double(result->folds.size());
    table.rows.push_back({std::to_string(table.rows.size() + 1), std::to_string(result->trial),
                          std::to_string(result->epochs), fmt::format("{:.4f}", result->mean(metric)),
                          fmt::format("{:.4f}", result->spread(metric)),
                          fmt::format("{:.4g}", 100 * result->sum("settled") / folds),
                          fmt::format("{:.1f}", result->sum("seconds"))});
    for (std::size_t k = 0; k < plan.space.size(); ++k)
      if (plan.space[k].varies())
        table.rows.back().push_back(plain_value(plan.trials[result->trial - 1].values[k]));
  }
  return table;
}

// "All 12 trials were trained for 3 epochs, the best 4 of them anew for 9 epochs, the best 1 of them anew for
// 27 epochs"
std::string rungs_text(const SweepPlan& plan, const SweepState& state) {
  std::string text = fmt::format("All {} were trained for {}", counted(plan.trials.size(), "trial"),
                                 rung_text(plan, state, 0));
  for (std::size_t rung = 1; rung < plan.rungs.size(); ++rung)
    text += fmt::format(", the best {} of them anew for {}", ranked_on(rung, state, plan.metric).size(),
                        rung_text(plan, state, rung));
  return text;
}

void tell_result(report::Page& page, const SweepPlan& plan, const SweepState& state) {
  page.section("Result").paragraph(
      "Every trial is judged by rows that its trainings did not see; the best of many is a little too good "
      "to be true, the more so the "
      "more were tried. best/ has the training of its options on all rows.");
  if (in_rungs(plan))
    page.paragraph(
        rungs_text(plan, state) +
        ". Scores compare only after as many epochs: the tables, figures and ranks keep apart what "
        "was given more and what was given fewer.");
  for (std::size_t rung = plan.rungs.size(); rung-- > 0;) page.table(trials_table(plan, state, rung));
}

}  // namespace

std::string sweep_page(const SweepPlan& plan, const SweepState& state, const std::string& data,
                       const std::string& settings, const std::filesystem::path& out) {
  const TrialResult& best = *ranked(state, plan.metric).front();
  const std::string metric(name(plan.metric));
  double seconds = 0;
  for (const TrialResult& r : state.results) seconds += r.sum("seconds");
  report::Page page(
      "irn sweep " + data,
      fmt::format("{} of {} trainings{}", counted(plan.trials.size(), "trial"), plan.folds.size(),
                  in_rungs(plan) ? ", the better ones again with more epochs" : ""));
  page.facts({{"best " + metric, fmt::format("{:.4f}", best.mean(metric))},
              {"trial", std::to_string(best.trial)},
              {"options", trial_text(plan, plan.trials[best.trial - 1])},
              {"epochs", std::to_string(best.epochs)},
              {"date", report::date_now()},
              {"trainings took", report::duration_text(seconds)}});
  tell_result(page, plan, state);
  page.section("Options").figure(options_figure(plan, state)).figure(coordinates_figure(plan, state));
  page.section("Best").figure(curves_figure(out / "best" / "metrics.jsonl"));
  page.links({{"report of the best model", "best/report.html"}, {"trials.csv", "trials.csv"}});
  page.section("Configuration").command(settings);
  return page.html();
}

}  // namespace irn::app
