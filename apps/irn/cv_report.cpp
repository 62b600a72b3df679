#include "apps/irn/cv_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/score_report.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"
#include "irn/report/page.h"
#include "irn/report/time_words.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;
using report::Align;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
std::string shown(double value) { return std::isnan(value) ? "" : fmt::format("{:.4f}", value); }
std::string cell(double value) { return std::isnan(value) ? "" : write_value(value); }

std::string interval(const FoldMean& mean) {
  return std::isnan(mean.low) ? "" : fmt::format("{:.4f} to {:.4f}", mean.low, mean.high);
}

double pooled_value(const CrossValidation& cv, std::size_t metric) {
  return cv.pooled.numbers(cv.encoding)[metric].second;
}

// A single row has no spread and no pair: of leave-one-out only all rows together are worth reporting.
bool folds_tell(const CrossValidation& cv) {
  return std::any_of(cv.results.begin(), cv.results.end(),
                     [](const auto& r) { return r.answers.size() > 1; });
}

std::string class_name(const CrossValidation& cv, std::size_t place) {
  return cv.encoding.targets.front().categories[place];
}

report::Table means_table(const CrossValidation& cv) {
  report::Table table{
      .caption = "Mean over the folds with its 95 % interval, and all rows together.",
      .columns = {
          {"metric"}, {"mean", Align::right}, {"interval", Align::right}, {"all rows", Align::right}}};
  for (std::size_t k = 0; k < cv.metrics.size(); ++k)
    table.rows.push_back(
        {cv.metrics[k], shown(cv.means[k].mean), interval(cv.means[k]), shown(pooled_value(cv, k))});
  return table;
}

report::Table folds_table(const CrossValidation& cv) {
  report::Table table{.caption = "Every fold.", .columns = {}};
  for (const char* title : {"repeat", "fold", "rows", "settled (%)", "best epoch", "epochs", "seconds"})
    table.columns.push_back({title, Align::right});
  for (const std::string& metric : cv.metrics) table.columns.push_back({metric, Align::right});
  for (const FoldResult& r : cv.results) {
    table.rows.push_back({std::to_string(r.repeat), std::to_string(r.number),
                          std::to_string(r.answers.size()),
                          fmt::format("{:.4g}", 100 * r.assessment.summary.settled_share()),
                          std::to_string(r.best_epoch) + (r.diverged ? " (diverged)" : ""),
                          std::to_string(r.epochs), fmt::format("{:.1f}", r.seconds)});
    for (const auto& [name, value] : r.assessment.numbers(cv.encoding))
      table.rows.back().push_back(shown(value));
  }
  return table;
}

report::Figure folds_figure(const CrossValidation& cv) {
  report::Series points{.label = "folds", .mark = report::Mark::points};
  for (std::size_t i = 0; i < cv.results.size(); ++i) {
    points.x.push_back(double(i + 1));
    points.y.push_back(cv.results[i].assessment.numbers(cv.encoding).front().second);
  }
  report::Panel panel{
      .x = {.label = "fold"}, .y = {.label = cv.metrics.front()}, .series = {std::move(points)}};
  for (std::size_t i = 1; cv.results.size() <= 20 && i <= cv.results.size(); ++i)
    panel.x.ticks.push_back(double(i));
  if (!std::isnan(cv.means.front().mean))
    panel.references.push_back({report::ReferenceLine::Kind::horizontal, cv.means.front().mean, "mean"});
  return {.name = "folds",
          .caption = "The " + cv.metrics.front() + " of every fold.",
          .panels = {std::move(panel)}};
}

}  // namespace

void CrossValidation::finish() {
  std::vector<RowAnswer> all;
  for (const FoldResult& result : results)
    all.insert(all.end(), result.answers.begin(), result.answers.end());
  pooled = assess_answers(all, *table);
  for (const auto& [name, value] : pooled.numbers(encoding)) {
    metrics.push_back(name);
    means.push_back(mean_over_folds(results, name, encoding));
  }
}

std::size_t CrossValidation::diverged() const {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [](const auto& r) { return r.diverged; }));
}

std::string cv_text(const CrossValidation& cv) {
  const Summary& all = cv.pooled.summary;
  std::string text = fmt::format(
      "trainings   {} ({})\nrows        {}\nsettled     {:.4g} % ({} without an answer)\n", cv.results.size(),
      cv.split, all.samples, 100 * all.settled_share(), all.samples - all.answered());
  if (cv.diverged() > 0) text += fmt::format("diverged    {}\n", cv.diverged());
  text += fmt::format("\n{:<20} {:>10}  {:>20}  {:>10}\n", "metric", "mean", "95 % interval", "all rows");
  for (std::size_t k = 0; k < cv.metrics.size(); ++k)
    text += fmt::format("{:<20} {:>10}  {:>20}  {:>10}\n", cv.metrics[k], shown(cv.means[k].mean),
                        interval(cv.means[k]), shown(pooled_value(cv, k)));
  if (!folds_tell(cv)) return text + "\n";
  text += fmt::format("\n{:>6}  {:>4}  {:>6}  {:>9}  {:>10}  {}\n", "repeat", "fold", "rows", "settled %",
                      "best epoch", cv.metrics.front());
  for (const FoldResult& r : cv.results)
    text +=
        fmt::format("{:>6}  {:>4}  {:>6}  {:>9.4g}  {:>10}  {}{}\n", r.repeat, r.number, r.answers.size(),
                    100 * r.assessment.summary.settled_share(), r.best_epoch,
                    shown(r.assessment.numbers(cv.encoding).front().second), r.diverged ? "  diverged" : "");
  return text + "\n";
}

Json cv_json(const CrossValidation& cv, const std::string& folder) {
  const Summary& all = cv.pooled.summary;
  Json json = {{"out", folder},
               {"split", cv.split},
               {"trainings", cv.results.size()},
               {"diverged", cv.diverged()},
               {"rows", all.samples},
               {"settled", all.settled_share()},
               {"without_answer", all.samples - all.answered()}};
  for (std::size_t k = 0; k < cv.metrics.size(); ++k)
    json["metrics"][cv.metrics[k]] = {{"mean", number(cv.means[k].mean)},
                                      {"low", number(cv.means[k].low)},
                                      {"high", number(cv.means[k].high)},
                                      {"all_rows", number(pooled_value(cv, k))}};
  for (const FoldResult& r : cv.results) {
    Json fold = {{"repeat", r.repeat},
                 {"fold", r.number},
                 {"rows", r.answers.size()},
                 {"training_rows", r.training_rows},
                 {"settled", r.assessment.summary.settled_share()},
                 {"epochs", r.epochs},
                 {"best_epoch", r.best_epoch},
                 {"diverged", r.diverged},
                 {"seconds", r.seconds}};
    for (const auto& [name, value] : r.assessment.numbers(cv.encoding)) fold["metrics"][name] = number(value);
    json["folds"].push_back(std::move(fold));
  }
  return json;
}

std::string folds_csv(const CrossValidation& cv) {
  std::string text = "repeat,fold,training_rows,rows,settled,epochs,best_epoch,diverged,seconds";
  for (const std::string& metric : cv.metrics) text += "," + csv_cell(metric);
  for (const FoldResult& r : cv.results) {
    text += fmt::format("\n{},{},{},{},{},{},{},{},{:.3f}", r.repeat, r.number, r.training_rows,
                        r.answers.size(), write_value(r.assessment.summary.settled_share()), r.epochs,
                        r.best_epoch, r.diverged ? 1 : 0, r.seconds);
    for (const auto& [name, value] : r.assessment.numbers(cv.encoding)) text += "," + cell(value);
  }
  return text + "\n";
}

std::string predictions_csv(const CrossValidation& cv) {
  const bool classes = cv.encoding.task == Task::classification;
  std::string text = "row,repeat,fold";
  for (const EncodedColumn& target : cv.encoding.targets)
    text += "," + csv_cell(target.name) + "," + csv_cell("predicted " + target.name);
  if (classes)
    for (const std::string& name : cv.encoding.target_names()) text += "," + csv_cell(name);
  text += ",settled\n";
  for (const FoldResult& result : cv.results)
    for (const RowAnswer& row : result.answers) {
      const bool answered = row.prediction.answered();
      text += fmt::format("{},{},{}", row.row + 1, result.repeat, result.number);
      for (std::size_t k = 0; k < row.targets.size(); ++k)
        text += "," +
                (classes ? csv_cell(class_name(cv, static_cast<std::size_t>(row.targets[k])))
                         : cell(row.targets[k])) +
                "," +
                (!answered ? ""
                 : classes ? csv_cell(class_name(cv, row.answer))
                           : cell(row.prediction.values[k]));
      for (std::size_t k = 0; classes && k < cv.encoding.target_width(); ++k)
        text += "," + (answered ? cell(row.prediction.probabilities[k]) : "");
      text += row.prediction.settled() ? ",1\n" : ",0\n";
    }
  return text;
}

std::string cv_page(const CrossValidation& cv, const std::string& configuration, double seconds) {
  const Summary& all = cv.pooled.summary;
  report::Page page("irn cv " + cv.table->frame->source(),
                    fmt::format("{} trainings, {}", cv.results.size(), cv.split));
  page.facts({{cv.metrics.front(),
               shown(std::isnan(cv.means.front().mean) ? pooled_value(cv, 0) : cv.means.front().mean)},
              {"95 % interval", interval(cv.means.front())},
              {"settled", fmt::format("{:.4g} %", 100 * all.settled_share())},
              {"rows tested", std::to_string(all.samples)},
              {"date", report::date_now()},
              {"took", report::duration_text(seconds)}});
  page.section("Result").paragraph(
      "Every row is answered by a training that did not see it. The interval allows for folds that share "
      "training rows "
      "(Nadeau and Bengio 2003).");
  if (cv.diverged() > 0)
    page.note(fmt::format("{} of {} trainings diverged.", cv.diverged(), cv.results.size()),
              report::Badge::bad);
  page.table(means_table(cv));
  if (folds_tell(cv)) page.figure(folds_figure(cv)).table(folds_table(cv));
  page.section("All rows together");
  add_scores(page, cv.pooled, cv.encoding, Numbers::elsewhere);
  page.section("Configuration").command(configuration);
  return page.html();
}

}  // namespace irn::app
