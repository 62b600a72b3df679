#include "apps/irn/score_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace irn::app {
namespace {

using report::Align;
using report::Figure;
using report::Mark;
using report::Page;
using report::Panel;
using report::Series;

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{:.4f}", value); }

report::Table classes_table(const Classification& scores, const std::vector<std::string>& labels) {
  report::Table table{.caption = "Metrics of each class.", .columns = {{"class"}}};
  for (const char* title : {"rows", "precision", "recall", "F1", "ROC AUC", "PR AUC"})
    table.columns.push_back({title, Align::right});
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const ClassScores& c = scores.classes[k];
    table.rows.push_back({labels[k], fmt::format("{:g}", c.rows), number(c.precision), number(c.recall),
                          number(c.f1), number(c.roc_auc), number(c.pr_auc)});
  }
  return table;
}

report::Table errors_table(const Assessment& assessment, const Encoding& encoding) {
  report::Table table{.caption = "Errors of each target, in its own units.",
                      .columns = {{"target"},
                                  {"R2", Align::right},
                                  {"root mean square error", Align::right},
                                  {"mean absolute error", Align::right},
                                  {"median absolute error", Align::right}}};
  for (const double q : error_quantiles)
    table.columns.push_back({fmt::format("{:g} % of the errors below", 100 * q), Align::right});
  for (std::size_t k = 0; k < assessment.targets.size(); ++k) {
    const TargetScores& e = assessment.targets[k];
    table.rows.push_back({encoding.targets[k].name, number(e.r2), fmt::format("{:.5g}", e.rms),
                          fmt::format("{:.5g}", e.absolute), fmt::format("{:.5g}", e.median_absolute)});
    for (const double q : e.quantiles) table.rows.back().push_back(fmt::format("{:.5g}", q));
  }
  return table;
}

Figure confusion_figure(const Classification& scores, const std::vector<std::string>& labels) {
  report::Matrix matrix{.rows = labels,
                        .columns = labels,
                        .values = scores.confusion,
                        .shade_by_row = true,
                        .value_label = "share of the class"};
  return {.name = "confusion",
          .caption = "How often each class was answered by which, over the samples that have an answer.",
          .panels = {{.x = {.label = "answer"}, .y = {.label = "true class"}, .matrix = std::move(matrix)}}};
}

Series diagonal(std::string label) {
  return {.label = std::move(label), .x = {0, 1}, .y = {0, 1}, .colour = 4, .dash = 1};
}

// Of two classes one curve says all: that of the other is its mirror image.
Figure curves_figure(const Assessment& assessment, const std::vector<std::string>& labels) {
  Panel roc{.title = "(a) ROC",
            .x = {.label = "share of other rows", .range = report::Range{0, 1}},
            .y = {.label = "share of the class's rows", .range = report::Range{0, 1.02}}};
  for (std::size_t k = labels.size() == 2 ? 1 : 0; k < assessment.roc.size(); ++k) {
    Series curve{.label = labels[k]};
    for (const auto& [x, y] : assessment.roc[k]) curve.x.push_back(x), curve.y.push_back(y);
    if (!std::isnan(assessment.classes.classes[k].roc_auc)) roc.series.push_back(std::move(curve));
  }
  roc.series.push_back(diagonal("by chance"));
  Series said{.label = "answers", .mark = Mark::both};
  for (const CalibrationBin& bin : assessment.classes.calibration)
    if (bin.rows > 0) said.x.push_back(bin.probability), said.y.push_back(bin.right);
  Panel calibration{.title = "(b) Calibration",
                    .x = {.label = "probability of the answer", .range = report::Range{0, 1}},
                    .y = {.label = "share that is right", .range = report::Range{0, 1.02}},
                    .series = {std::move(said), diagonal("as right as said")}};
  return {.name = "curves",
          .caption =
              "How well the probability of each class tells it from the others as the threshold falls, and "
              "how often "
              "answers of a probability are right. A row without an answer counts as wrong with certainty.",
          .panels = {std::move(roc), std::move(calibration)}};
}

Figure answers_figure(const Assessment& assessment, const Encoding& encoding) {
  Figure figure{.name = "answers",
                .caption =
                    "Answers against targets of samples (at most a thousand, spread evenly). On the "
                    "line they agree."};
  for (std::size_t k = 0; k < assessment.points.size(); ++k) {
    Series points{.label = "samples", .mark = Mark::points};
    double low = INFINITY, high = -INFINITY;
    for (const AnswerPoint& p : assessment.points[k]) {
      points.x.push_back(p.target), points.y.push_back(p.answer);
      low = std::min(low, p.target), high = std::max(high, p.target);
    }
    const Series line{.label = "answer = target", .x = {low, high}, .y = {low, high}};
    const std::string& name = encoding.targets[k].name;
    figure.panels.push_back({.title = name,
                             .x = {.label = "target"},
                             .y = {.label = "answer"},
                             .series = points.x.empty() ? std::vector<Series>{} : std::vector{points, line}});
  }
  return figure;
}

}  // namespace

void add_scores(Page& page, const Assessment& assessment, const Encoding& encoding) {
  if (encoding.task != Task::classification) {
    page.table(errors_table(assessment, encoding)).figure(answers_figure(assessment, encoding));
    return;
  }
  const std::vector<std::string>& labels = encoding.targets.front().categories;
  report::Table all{
      .caption = "Metrics of all rows; precision, recall, F1 and the areas are means over the classes.",
      .columns = {{"metric"}, {"value", Align::right}}};
  for (const auto& [name, value] : assessment.classes.numbers()) all.rows.push_back({name, number(value)});
  page.table(all).table(classes_table(assessment.classes, labels));
  page.figure(confusion_figure(assessment.classes, labels));
  if (!assessment.roc.empty()) page.figure(curves_figure(assessment, labels));
}

}  // namespace irn::app
