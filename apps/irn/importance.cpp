// irn importance: what a model's answers depend on.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/command.h"
#include "apps/irn/model_use.h"
#include "apps/irn/output_file.h"
#include "irn/analysis/importance.h"
#include "irn/base/file.h"
#include "irn/base/text.h"
#include "irn/report/page.h"
#include "irn/report/time_words.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;
using report::Align;

struct Command {
  Settings settings;
  ModelUseSettings use;
  std::string metric = "auto", out, weights;
  std::size_t repeats = 5, seed = 0;
  bool overwrite = false, json = false;
};

struct Found {
  Metric metric = Metric::accuracy;
  double whole = 0;  // the score on the unchanged table
  std::vector<PermutationImportance> columns;
  Sensitivities slopes;
  double seconds = 0;  // time it took

  // Columns by falling importance.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> places(columns.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(columns[b].mean(), a) < std::pair(columns[a].mean(), b);
    });
    return places;
  }
};

// A single repeat has no spread.
std::string spread(const PermutationImportance& column) {
  return std::isnan(column.deviation()) ? "-" : fmt::format("{:.2g}", column.deviation());
}

Metric metric_of(const std::string& text, Task task) {
  const bool classes = task == Task::classification;
  if (text == "auto") return classes ? Metric::accuracy : Metric::r2;
  const Metric metric = metric_named(text);
  if (of_classes(metric) == classes && metric != Metric::loss) return metric;
  throw Error("--metric: " + text +
              (metric == Metric::loss ? " is no metric here; take another"
               : classes              ? " is for numbers, and the model predicts classes"
                                      : " is for classes, and the model predicts numbers"));
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Found& found) {
  Json json = {{"metric", name(found.metric)}, {"value", number(found.whole)}};
  for (const PermutationImportance& column : found.columns)
    json["permutation"].push_back({{"column", column.column},
                                   {"drop", number(column.mean())},
                                   {"deviation", number(column.deviation())},
                                   {"drops", column.drops}});
  const Sensitivities& s = found.slopes;
  json["sensitivity"] = {{"rows", s.rows}, {"used", s.used}};
  for (std::size_t k = 0; k < s.outputs.size(); ++k) {
    Json of = Json::object();
    for (std::size_t i = 0; i < s.inputs.size(); ++i)
      of[s.inputs[i]] = {{"mean", number(s.mean[k * s.inputs.size() + i])},
                         {"size", number(s.size[k * s.inputs.size() + i])}};
    json["sensitivity"]["outputs"][s.outputs[k]] = std::move(of);
  }
  return json;
}

std::size_t widest(const std::vector<std::string>& names) {
  std::size_t width = 6;
  for (const std::string& each : names) width = std::max(width, each.size());
  return std::min<std::size_t>(width, 40);
}

std::string to_text(const Found& found) {
  constexpr std::size_t most = 40;
  const Sensitivities& s = found.slopes;
  std::string text = fmt::format("{} {:.4f}; a column's values dealt among the rows make it worse by\n\n",
                                 name(found.metric), found.whole);
  std::vector<std::string> names;
  for (const PermutationImportance& column : found.columns) names.push_back(column.column);
  const std::size_t width = widest(names);
  text += fmt::format("{:{}}  {:>10}  {:>10}\n", "column", width, "drop", "deviation");
  std::size_t shown = 0;
  for (const std::size_t c : found.order()) {
    if (shown++ == most) break;
    text += fmt::format("{:{}.{}}  {:>10.4g}  {:>10}\n", names[c], width, width, found.columns[c].mean(),
                        spread(found.columns[c]));
  }
  text += fmt::format("\nsensitivity, the mean size (and mean) of d answer / d input, over {} of {} rows\n",
                      s.used, s.rows);
  const std::size_t inputs = std::min(most, s.inputs.size()),
                    outputs = std::min<std::size_t>(6, s.outputs.size()), first = widest(s.inputs);
  text += fmt::format("{:{}}", "input", first);
  for (std::size_t k = 0; k < outputs; ++k) text += fmt::format("  {:>22.22}", s.outputs[k]);
  for (std::size_t i = 0; i < inputs; ++i) {
    text += fmt::format("\n{:{}.{}}", s.inputs[i], first, first);
    for (std::size_t k = 0; k < outputs; ++k)
      text += fmt::format("  {:>22}", fmt::format("{:.4g} ({:.3g})", s.size[k * s.inputs.size() + i],
                                                  s.mean[k * s.inputs.size() + i]));
  }
  const bool all = inputs == s.inputs.size() && outputs == s.outputs.size() && found.columns.size() <= most;
  return text + (all ? "\n" : "\n... (--json has all)\n");
}

report::Figure permutation_figure(const Found& found) {
  constexpr std::size_t most = 30;
  report::Series bars{.label = "drop", .mark = report::Mark::bars};
  report::Panel panel{.x = {.label = "column"}, .y = {.label = "drop of " + std::string(name(found.metric))}};
  for (const std::size_t c : found.order()) {
    if (bars.x.size() == most) break;
    const PermutationImportance& column = found.columns[c];
    const double half = std::isnan(column.deviation()) ? 0 : column.deviation();
    panel.x.categories.push_back(column.column);
    bars.x.push_back(double(bars.x.size())), bars.y.push_back(column.mean());
    bars.low.push_back(column.mean() - half), bars.high.push_back(column.mean() + half);
  }
  panel.series = {std::move(bars)};
  return {.name = "permutation",
          .caption =
              "How much worse the answers get when a column's values are dealt among the rows, with the "
              "deviation over the repeats.",
          .panels = {std::move(panel)},
          .columns = 1,
          .plot_width = 800};
}

report::Figure sensitivity_figure(const Sensitivities& s) {
  report::Matrix matrix{
      .rows = s.outputs, .columns = s.inputs, .values = s.size, .value_label = "mean |d answer / d input|"};
  return {.name = "sensitivity",
          .caption = "The mean size of the derivative of each answer by each input, scaled to deviation 1.",
          .panels = {{.x = {.label = "input"}, .y = {.label = "answer"}, .matrix = std::move(matrix)}},
          .columns = 1,
          .plot_width = 800};
}

std::string page_of(const Found& found, const Command& command) {
  report::Page page("irn importance " + command.use.model, command.use.table.shown());
  page.facts({{"date", report::date_now()},
              {"took", report::duration_text(found.seconds)},
              {std::string(name(found.metric)), fmt::format("{:.4f}", found.whole)},
              {"rows", std::to_string(found.slopes.rows)},
              {"repeats", std::to_string(command.repeats)}});
  page.section("Permutation").figure(permutation_figure(found));
  report::Table table{.caption = "Every column.",
                      .columns = {{"column"}, {"drop", Align::right}, {"deviation", Align::right}}};
  for (const std::size_t c : found.order())
    table.rows.push_back(
        {found.columns[c].column, fmt::format("{:.4g}", found.columns[c].mean()), spread(found.columns[c])});
  page.table(table);
  page.section("Sensitivity")
      .paragraph(fmt::format("Exact derivatives at the equilibrium, over {} of {} rows.", found.slopes.used,
                             found.slopes.rows));
  if (found.slopes.outputs.size() * found.slopes.inputs.size() <= 1000)
    page.figure(sensitivity_figure(found.slopes));
  return page.html();
}

template <class T>
int run(ModelOf<T>& model, const Command& command) {
  if (command.repeats == 0) throw Error("--repeats: give 1 or more");
  check_output_file("--out", command.out, files_read(command.use, command.settings), command.overwrite);
  check_writable(command.out);
  const report::Clock::time_point start = report::Clock::now();
  ThreadPool threads(command.use.threads);
  const ModelUse<T> use = apply_model<T>(command.use, model.encoding, true, {}, threads, command.weights);
  Settler<T> settler(model.network, model.settle, threads);
  Found found{.metric = metric_of(command.metric, model.encoding.task)};
  found.whole = assess<T>(settler, *use.samples, model.encoding, model.loss).value(found.metric);
  if (std::isnan(found.whole))
    throw DataError(use.frame->source() + ": " + std::string(name(found.metric)) +
                        " has no value over these rows; take another metric, or other rows",
                    "metric");
  found.columns = permutation_importance<T>(settler, *use.samples, model.encoding, found.metric,
                                            command.repeats, command.seed);
  found.slopes = sensitivities<T>(model.network, model.settle, *use.samples, model.encoding, threads);
  found.seconds = report::seconds_since(start);
  if (!command.out.empty()) write_file_atomically(command.out, page_of(found, command));
  std::cout << (command.json ? to_json(found).dump(2) + "\n" : to_text(found));
  return fine;
}

}  // namespace

Run add_importance(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->use.declare(command->settings);
  command->settings.group("Importance")
      .add("metric", &command->metric,
           "Metric to measure by: auto, " + join(std::span(metric_names).subspan(1)) +
               "; auto: accuracy for classes, R2 for numbers")
      .add("repeats", &command->repeats, "How often each column is shuffled")
      .add("seed", &command->seed, "Seed of the shuffling")
      .add("weights", &command->weights, "Column that says how much each row counts")
      .called("COLUMN")
      .add("out", &command->out, "Page with tables and figures")
      .called("FILE")
      .add("overwrite", &command->overwrite, overwrite_help)
      .add("json", &command->json, "Print the result as JSON");
  command->settings.declare(
      app, "importance", "Show what a model's answers depend on, by permutation and by sensitivity",
      "Examples:\n  irn importance flowers-model test.csv\n  irn importance flowers-model test.csv --out "
      "importance.html");
  return [command] {
    command->settings.resolve();
    AnyModel model = open_model(command->use);
    return std::visit([&](auto& m) { return run(m, *command); }, model);
  };
}

}  // namespace irn::app
