#include "apps/irn/train_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/irn/insight_figures.h"
#include "apps/irn/model_notes.h"
#include "apps/irn/score_report.h"
#include "irn/model/train_metrics.h"
#include "irn/report/time_words.h"

namespace irn::app {
namespace {

using report::Axis;
using report::Figure;
using report::Mark;
using report::Page;
using report::Panel;
using report::Series;

using Value = double EpochRecord::*;

Series curve(const std::vector<EpochRecord>& records, std::string label, Value value, double factor = 1) {
  Series series{.label = std::move(label)};
  if (records.size() == 1) series.mark = Mark::points;
  for (const EpochRecord& record : records) {
    series.x.push_back(double(record.epoch));
    series.y.push_back(record.*value * factor);
  }
  return series;
}

// Epochs are whole: few epochs get a tick each, and a single one needs no decimals.
Axis epoch_axis(const std::vector<Series>& series) {
  const std::size_t epochs = series.front().x.size();
  Axis axis{.label = "epoch"};
  if (epochs == 1) axis.range = {0.5, 1.5};
  for (std::size_t i = 1; epochs <= 10 && i <= epochs; ++i) axis.ticks.push_back(double(i));
  return axis;
}

Panel panel(std::string title, std::string y, bool log, std::vector<Series> series) {
  return {.title = std::move(title),
          .x = epoch_axis(series),
          .y = {.label = std::move(y), .log = log},
          .series = std::move(series)};
}

// Shares of `whole`: from the tenth below the smallest to the whole, with a little space, though no value can
// be there.
Panel up_to(double whole, Panel panel) {
  double least = whole;
  for (const Series& series : panel.series)
    for (const double value : series.y)
      if (value < least) least = value;
  const double low = std::max(0.0, whole / 10 * std::floor(least / whole * 10 - 0.1));
  panel.y.range = {low, whole + (whole - low) / 25};
  return panel;
}

bool all_positive(const std::vector<EpochRecord>& records, Value value) {
  return std::all_of(records.begin(), records.end(), [&](const auto& r) { return r.*value > 0; });
}

// The training loss belongs to other weights and, with noise, to other inputs than the loss of the rows that
// judge.
std::string training_loss_words(const TrainStory& story) {
  const std::string moved = "The training loss is the mean over the epoch, while the weights moved";
  if (story.changes) return moved + ", and over images that were changed: it may lie above that of others.";
  return story.noise > 0 ? fmt::format(
                               "{}, and over inputs with noise of deviation {:g}: it may lie above that of "
                               "rows without noise.",
                               moved, story.noise)
                         : moved + ".";
}

std::string duration_words(const std::vector<EpochRecord>& records) {
  double seconds = 0;
  for (const EpochRecord& record : records) seconds += record.seconds;
  return report::duration_text(seconds);
}

void add_network(Page& page, const TrainStory& story) {
  page.section("Network").paragraph(fmt::format(
      "{}: states z with z = f(A z + B x + b), all layers at once; the answer is the equilibrium that dz/dt "
      "= f(A z + B x "
      "+ b) - z reaches from rest. Numbers between dashes are layers, from the inputs to the outputs; behind "
      "the slash "
      "stands which layers hear each other.{}",
      story.network, story.certified ? " The weights are held where every input has one equilibrium." : ""));
  page.list(story.layers);
  if (!story.insight.paths.empty()) page.figure(settling_figure(story.insight));
}

Figure loss_figure(const std::vector<EpochRecord>& records, const std::string& score,
                   const TrainStory& story) {
  const std::size_t best = story.best_epoch;
  const std::string judged =
      story.validation_samples > 0 ? "validation" : "training, at the end of the epoch";
  const bool log =
      all_positive(records, &EpochRecord::loss) && all_positive(records, &EpochRecord::validation_loss);
  Panel loss = panel("(a) Loss", "loss", log,
                     {curve(records,
                            story.changes     ? "training, images changed"
                            : story.noise > 0 ? "training, with noise"
                                              : "training, while the weights moved",
                            &EpochRecord::loss),
                      curve(records, judged, &EpochRecord::validation_loss)});
  const std::string whose = judged_by(story.validation_samples > 0) + " " + score;
  Panel metric = panel("(b) " + whose, whose, false, {curve(records, "", &EpochRecord::score)});
  if (larger_is_better(metric_named(score)) && score != name(Metric::r2))
    metric = up_to(1, std::move(metric));
  if (best > 0)
    for (Panel* each : {&loss, &metric})
      each->references.push_back({report::ReferenceLine::Kind::vertical, double(best), "best"});
  return {.name = "loss",
          .caption = "Loss and " + score + " after every epoch; the model has the weights of the best one. " +
                     training_loss_words(story),
          .panels = {std::move(loss), std::move(metric)}};
}

Figure health_figure(const std::vector<EpochRecord>& records, const char* judged) {
  return {
      .name = "equilibria",
      .caption =
          "Share of the equilibria that settled, evaluations of the network for each, and the norm of the "
          "gradient before clipping. Samples that did not settle took no part in the training.",
      .panels = {up_to(100, panel("(a) Settled", "settled (%)", false,
                                  {curve(records, "training", &EpochRecord::settled, 100),
                                   curve(records, judged, &EpochRecord::validation_settled, 100)})),
                 panel("(b) Evaluations", "evaluations a sample", false,
                       {curve(records, "", &EpochRecord::evaluations)}),
                 panel("(c) Gradient", "norm", all_positive(records, &EpochRecord::gradient_norm),
                       {curve(records, "", &EpochRecord::gradient_norm)}),
                 panel("(d) Rate", "learning rate", false, {curve(records, "", &EpochRecord::rate)})}};
}

std::string percent(double share) { return fmt::format("{:.4g} %", 100 * share); }

void add_result(Page& page, const Assessment& assessment, const Encoding& encoding, const TrainStory& story) {
  page.section("Result");
  page.paragraph(
      story.validation_samples > 0
          ? "Over the rows held out for validation. They chose the best epoch, so a test on data that "
            "took no part at all (irn eval) may come out slightly worse."
          : "Over the training rows themselves: none were held out. On other data it will be "
            "worse; irn eval tells.");
  if (assessment.summary.answered() < assessment.summary.samples)
    page.note(fmt::format("{} of {} samples did not settle and have no answer; {}.",
                          assessment.summary.samples - assessment.summary.answered(),
                          assessment.summary.samples, settling_advice(story.certified)),
              report::Badge::bad);
  add_scores(page, assessment, encoding);
}

}  // namespace

std::string train_report(const TrainStory& story, const std::vector<EpochRecord>& records,
                         const Assessment& assessment, const Encoding& encoding) {
  const Metric metric = story.metric != Metric::loss            ? story.metric
                        : encoding.task == Task::classification ? Metric::accuracy
                                                                : Metric::r2;
  const std::string score(name(metric));
  Page page("irn train " + story.data, story.network);
  const bool held_out = story.validation_samples > 0;
  page.facts({{"date", story.date},
              {"took", duration_words(records)},
              {judged_by(held_out) + " " + score, fmt::format("{:.4f}", assessment.value(metric))},
              {"settled", percent(assessment.summary.settled_share())},
              {"best epoch", std::to_string(story.best_epoch)},
              {"ended", story.outcome},
              {"parameters", std::to_string(story.parameters)},
              {"training samples", std::to_string(story.training_samples)},
              {"held out", held_out ? std::to_string(story.validation_samples) : "none"}});
  add_result(page, assessment, encoding, story);
  page.section("Training");
  if (!records.empty())
    page.figure(loss_figure(records, score, story))
        .figure(health_figure(records, held_out ? "validation" : "training, at the end of the epoch"));
  if (!story.insight.importance.empty())
    page.section("What the answers depend on").figure(importance_figure(story.insight));
  page.section("Data");
  if (!story.taken.empty()) page.list(story.taken);
  page.table(story.columns);
  add_network(page, story);
  page.section("Configuration").paragraph("The command that repeats this training to the last bit:");
  page.command(story.command).paragraph("All settings:").command(story.configuration);
  return page.html();
}

}  // namespace irn::app
