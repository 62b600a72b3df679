#include "apps/irn/score_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

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

// The classes in `order`, by index.
report::Table classes_table(const Classification& scores, const std::vector<std::string>& labels,
                            std::span<const std::size_t> order, std::string caption) {
  report::Table table{.caption = std::move(caption), .columns = {{"class"}}};
  for (const char* title : {"rows", "precision", "recall", "F1", "ROC AUC", "PR AUC"})
    table.columns.push_back({title, Align::right});
  for (const std::size_t k : order) {
    const ClassScores& c = scores.classes[k];
    table.rows.push_back({labels[k], fmt::format("{:g}", c.rows), number(c.precision), number(c.recall),
                          number(c.f1), number(c.roc_auc), number(c.pr_auc)});
  }
  return table;
}

// Few classes make a table; of many, the worst are shown, and all of them are folded away.
void add_classes(Page& page, const Classification& scores, const std::vector<std::string>& labels) {
  constexpr std::size_t few = 20, worst = 10;
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (labels.size() <= few) {
    page.table(classes_table(scores, labels, order, "Metrics of each class."));
    return;
  }
  std::vector<std::size_t> by_f1 = order;
  std::sort(by_f1.begin(), by_f1.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t k) {
      return std::isnan(scores.classes[k].f1) ? 2 : scores.classes[k].f1;
    };
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
  page.table(classes_table(scores, labels, std::span(by_f1).first(worst),
                           fmt::format("The {} of {} classes with the lowest F1.", worst, labels.size())));
  page.details(fmt::format("Metrics of all {} classes", labels.size()), [&](Page& more) {
    more.table(classes_table(scores, labels, order, "Metrics of each class."));
  });
}

// The details that a large matrix hides: which classes are mistaken for which.
report::Table confusions_table(const Classification& scores, const std::vector<std::string>& labels) {
  constexpr std::size_t most = 15;
  const std::size_t classes = labels.size();
  std::vector<std::size_t> wrong;
  for (std::size_t k = 0; k < scores.confusion.size(); ++k)
    if (k / classes != k % classes && scores.confusion[k] > 0) wrong.push_back(k);
  std::sort(wrong.begin(), wrong.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(-scores.confusion[a], a) < std::pair(-scores.confusion[b], b);
  });
  wrong.resize(std::min(most, wrong.size()));
  report::Table table{.caption = "The most frequent confusions.",
                      .columns = {{"true class"}, {"answer"}, {"rows", Align::right}}};
  for (const std::size_t k : wrong)
    table.rows.push_back(
        {labels[k / classes], labels[k % classes], fmt::format("{:g}", scores.confusion[k])});
  return table;
}

report::Table errors_table(const Assessment& assessment, const Encoding& encoding) {
  report::Table table{
      .caption =
          "Errors of each target in its own units: root of the mean square, mean and median of their size, "
          "and the error (answer less target) that so many percent lie below.",
      .columns = {{"target"},
                  {"R2", Align::right},
                  {"rms", Align::right},
                  {"mean |error|", Align::right},
                  {"median |error|", Align::right}}};
  for (const double q : error_quantiles)
    table.columns.push_back({fmt::format("{:g} %", 100 * q), Align::right});
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
                        .numbers = labels.size() <= 30,  // more would show mostly zeros; a table has the rest
                        .value_label = "share of the class"};
  Figure figure{
      .name = "confusion",
      .caption = "How often each class was answered by which, over the samples that have an answer.",
      .panels = {{.x = {.label = "answer"}, .y = {.label = "true class"}, .matrix = std::move(matrix)}}};
  // Room for a label for each class, up to the length of a page: labels are 12 pixels high.
  if (labels.size() > 12)
    figure.plot_width = figure.plot_height = std::min(760.0, 13.0 * double(labels.size()));
  return figure;
}

Series diagonal(std::string label) {
  return {.label = std::move(label), .x = {0, 1}, .y = {0, 1}, .colour = 4, .dash = 1};
}

// For two classes one curve is enough: the other is its mirror image.
Panel roc_panel(const Assessment& assessment, const std::vector<std::string>& labels) {
  Panel roc{.title = "(a) ROC",
            .x = {.label = "share of other rows", .range = report::Range{0, 1}},
            .y = {.label = "share of the class's rows", .range = report::Range{0, 1.02}}};
  for (std::size_t k = labels.size() == 2 ? 1 : 0; k < assessment.roc.size(); ++k) {
    Series curve{.label = labels[k]};
    for (const auto& [x, y] : assessment.roc[k]) curve.x.push_back(x), curve.y.push_back(y);
    if (!std::isnan(assessment.classes.classes[k].roc_auc)) roc.series.push_back(std::move(curve));
  }
  roc.series.push_back(diagonal("by chance"));
  return roc;
}

// With more classes than colours, curves say nothing: then only calibration is shown.
Figure curves_figure(const Assessment& assessment, const std::vector<std::string>& labels) {
  const bool few = !assessment.roc.empty();
  Series said{.label = "answers", .mark = Mark::both};
  for (const CalibrationBin& bin : assessment.classes.calibration)
    if (bin.rows > 0) said.x.push_back(bin.probability), said.y.push_back(bin.right);
  Panel calibration{.title = few ? "(b) Calibration" : "Calibration",
                    .x = {.label = "probability of the answer", .range = report::Range{0, 1}},
                    .y = {.label = "share that is right", .range = report::Range{0, 1.02}},
                    .series = {std::move(said), diagonal("as right as said")}};
  Figure figure{
      .name = "curves",
      .caption =
          std::string(few ? "How well the probability of each class tells it from the others as the "
                            "threshold falls, and how often "
                          : "How often ") +
          "answers of a probability are right. A row without an answer counts as wrong with certainty."};
  if (few) figure.panels.push_back(roc_panel(assessment, labels));
  figure.panels.push_back(std::move(calibration));
  return figure;
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

std::string areas_words(std::size_t classes) {
  constexpr std::size_t most = ClassJudge::most_classes_for_areas;
  return classes > most ? fmt::format(" Areas are for up to {} classes.", most) : "";
}

}  // namespace

void add_scores(Page& page, const Assessment& assessment, const Encoding& encoding, Numbers numbers) {
  if (encoding.task != Task::classification) {
    page.table(errors_table(assessment, encoding)).figure(answers_figure(assessment, encoding));
    return;
  }
  const std::vector<std::string>& labels = encoding.targets.front().categories;
  report::Table all{
      .caption = "Metrics of all rows; precision, recall, F1 and the areas are means over the classes." +
                 areas_words(labels.size()),
      .columns = {{"metric"}, {"value", Align::right}}};
  for (const auto& [name, value] : assessment.classes.numbers()) all.rows.push_back({name, number(value)});
  if (numbers == Numbers::here) page.table(all);
  add_classes(page, assessment.classes, labels);
  constexpr std::size_t most_in_figure = 60;  // beyond, cells cannot be read, and the page takes megabytes
  if (labels.size() <= most_in_figure) page.figure(confusion_figure(assessment.classes, labels));
  if (labels.size() > 12) page.table(confusions_table(assessment.classes, labels));
  page.figure(curves_figure(assessment, labels));
}

}  // namespace irn::app
