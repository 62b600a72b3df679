// irn eval: how well a model answers for a table with known targets.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/command.h"
#include "apps/irn/model_notes.h"
#include "apps/irn/model_use.h"
#include "irn/base/text.h"
#include "irn/model/assess.h"

namespace irn::app {
namespace {

struct Command {
  Settings settings;
  ModelUseSettings use;
  ViewSettings views;
  std::string weights;
  bool json = false, quiet = false;
};

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// Null where the model does not say.
Json training_json(const Metrics& metrics) {
  const std::optional<bool> ended = complete(metrics);
  const auto diverged = metrics.find("diverged");
  return {{"complete", ended ? Json(*ended) : Json(nullptr)},
          {"diverged", diverged != metrics.end() ? Json(diverged->second == 1)
                       : ended.value_or(false)   ? Json(false)
                                                 : Json(nullptr)}};
}

Json numbers(const NamedNumbers& all) {
  Json json = Json::object();
  for (const auto& [name, value] : all) json[name] = number(value);
  return json;
}

// Counts of rows are whole unless rows are weighted.
Json count(double weight) {
  return weight == std::floor(weight) ? Json(std::uint64_t(weight)) : Json(weight);
}

void add_classes(Json& json, const Classification& scores, const std::vector<std::string>& labels) {
  json["accuracy"] = number(scores.accuracy);
  json["labels"] = labels;
  json["confusion"] = json["classes"] = json["calibration"] = Json::array();
  for (std::size_t k = 0; k < labels.size(); ++k) {
    Json row = Json::array();
    for (std::size_t j = 0; j < labels.size(); ++j)
      row.push_back(count(scores.confusion[k * labels.size() + j]));
    json["confusion"].push_back(std::move(row));
    const ClassScores& c = scores.classes[k];
    json["classes"].push_back({{"label", labels[k]},
                               {"rows", count(c.rows)},
                               {"precision", number(c.precision)},
                               {"recall", number(c.recall)},
                               {"f1", number(c.f1)},
                               {"roc_auc", number(c.roc_auc)},
                               {"pr_auc", number(c.pr_auc)}});
  }
  for (const CalibrationBin& bin : scores.calibration)
    json["calibration"].push_back(
        {{"rows", count(bin.rows)}, {"probability", number(bin.probability)}, {"right", number(bin.right)}});
}

void add_targets(Json& json, const Assessment& result, const Encoding& encoding) {
  json["R2"] = number(result.score());
  for (std::size_t k = 0; k < result.targets.size(); ++k) {
    Json target = numbers(result.targets[k].numbers());
    for (std::size_t q = 0; q < error_quantiles.size(); ++q)
      target["error_quantiles"][fmt::format("{:g}", error_quantiles[q])] =
          number(result.targets[k].quantiles[q]);
    json["targets"][encoding.targets[k].name] = std::move(target);
  }
}

Json to_json(const Assessment& result, const Encoding& encoding) {
  Json json = {{"samples", result.summary.samples},
               {"settled", result.summary.settled_share()},
               {"without_answer", result.summary.samples - result.summary.answered()}};
  for (std::size_t k = 0; k < outcome_names.size(); ++k)
    json["outcomes"][std::string(outcome_names[k])] = result.summary.count[k];
  json["mean_evaluations"] = result.summary.mean_evaluations;
  json["loss"] = number(result.loss);
  json["metrics"] = numbers(result.numbers(encoding));
  if (encoding.task == Task::classification)
    add_classes(json, result.classes, encoding.targets.front().categories);
  else
    add_targets(json, result, encoding);
  return json;
}

// The name of a class may contain line ends, which a table on a terminal may not, and may be as long as a
// page. It is cut between two characters.
std::string in_one_line(std::string label) {
  constexpr std::size_t most = 24;
  std::replace_if(
      label.begin(), label.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  if (label.size() <= most) return label;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xC0) == 0x80)
    --end;  // within a UTF-8 character
  return label.substr(0, end) + "...";
}

std::size_t widest(const std::vector<std::string>& labels) {
  std::size_t width = 6;
  for (const std::string& label : labels) width = std::max(width, label.size());
  return width;
}

// The classes that are mistaken for each other most often, in place of a matrix that no terminal has room
// for.
std::string frequent_confusions(const Assessment& result, const std::vector<std::string>& labels) {
  constexpr std::size_t most = 20;
  const std::size_t classes = labels.size(), width = widest(labels);
  std::vector<std::size_t> wrong;
  for (std::size_t k = 0; k < result.classes.confusion.size(); ++k)
    if (k / classes != k % classes && result.classes.confusion[k] > 0) wrong.push_back(k);
  std::sort(wrong.begin(), wrong.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(result.classes.confusion[b], a) < std::pair(result.classes.confusion[a], b);
  });
  std::string text =
      fmt::format("\nmost frequent confusions of {} classes (--json has all)\n{:{}}  {:{}}  {:>6}\n", classes,
                  "true", width, "answer", width, "rows");
  for (const std::size_t k : std::span(wrong).first(std::min(most, wrong.size())))
    text += fmt::format("{:{}}  {:{}}  {:>6}\n", labels[k / classes], width, labels[k % classes], width,
                        result.classes.confusion[k]);
  return text;
}

// A value may be missing: for example, a class without rows has no areas, and R2 of one row is undefined.
std::string shown(double value, const char* form = "{:.4f}") {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(form), value);
}

std::string confusion_text(const Assessment& result, std::vector<std::string> labels) {
  constexpr std::size_t longest_line = 160;
  std::transform(labels.begin(), labels.end(), labels.begin(), in_one_line);
  const std::size_t width = widest(labels);
  if ((labels.size() + 1) * (width + 2) > longest_line) return frequent_confusions(result, labels);
  std::string text = fmt::format("\nconfusion (row: true class, column: answer)\n{:{}}", "", width);
  for (const std::string& label : labels) text += fmt::format("  {:>{}}", label, width);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += fmt::format("\n{:{}}", labels[i], width);
    for (std::size_t j = 0; j < labels.size(); ++j)
      text += fmt::format("  {:>{}}", result.classes.confusion[i * labels.size() + j], width);
  }
  return text + "\n";
}

std::string errors_text(const Assessment& result, const Encoding& encoding) {
  std::size_t width = 6;
  for (const EncodedColumn& target : encoding.targets) width = std::max(width, target.name.size());
  std::string text = fmt::format("\n{:{}}  {:>12}  {:>12}  {:>14}  {:>8}\n", "target", width, "rms error",
                                 "mean |error|", "median |error|", "R2");
  for (std::size_t k = 0; k < result.targets.size(); ++k) {
    const TargetScores& e = result.targets[k];
    text += fmt::format("{:{}}  {:>12}  {:>12}  {:>14}  {:>8}\n", encoding.targets[k].name, width,
                        shown(e.rms, "{:.6g}"), shown(e.absolute, "{:.6g}"),
                        shown(e.median_absolute, "{:.6g}"), shown(e.r2));
  }
  text += fmt::format("\n{:{}}", "errors", width);
  for (const double q : error_quantiles) text += fmt::format("  {:>10}", fmt::format("{:g} %", 100 * q));
  for (std::size_t k = 0; k < result.targets.size(); ++k) {
    text += fmt::format("\n{:{}}", encoding.targets[k].name, width);
    for (const double q : result.targets[k].quantiles) text += fmt::format("  {:>10}", shown(q, "{:.4g}"));
  }
  return text + "\n";
}

std::string classes_text(const Classification& scores, std::vector<std::string> labels) {
  constexpr std::size_t most = 100;
  std::transform(labels.begin(), labels.end(), labels.begin(), in_one_line);
  const std::size_t width = widest(labels);
  std::string text;
  for (const auto& [name, value] : scores.numbers())
    if (name != "accuracy") text += fmt::format("{:<17} {}\n", name, shown(value));
  if (labels.size() > ClassJudge::most_classes_for_areas)
    text +=
        fmt::format("(roc_auc and pr_auc are for up to {} classes)\n", ClassJudge::most_classes_for_areas);
  text += fmt::format("\n{:{}}  {:>8}  {:>9}  {:>8}  {:>8}  {:>8}  {:>8}\n", "class", width, "rows",
                      "precision", "recall", "f1", "roc_auc", "pr_auc");
  for (std::size_t k = 0; k < std::min(most, labels.size()); ++k) {
    const ClassScores& c = scores.classes[k];
    text += fmt::format("{:{}}  {:>8g}  {:>9}  {:>8}  {:>8}  {:>8}  {:>8}\n", labels[k], width, c.rows,
                        shown(c.precision), shown(c.recall), shown(c.f1), shown(c.roc_auc), shown(c.pr_auc));
  }
  return labels.size() > most ? text + "... (--json has all)\n" : text;
}

std::string to_text(const Assessment& result, const Encoding& encoding) {
  const Summary& all = result.summary;
  std::string text = fmt::format(
      "samples     {}\nsettled     {:.4g} % ({} without an answer)\nevaluations {:.1f} a sample\n",
      all.samples, 100 * all.settled_share(), all.samples - all.answered(), all.mean_evaluations);
  text += fmt::format("loss        {}\n", shown(result.loss, "{:.6g}"));
  if (encoding.task == Task::classification)
    return text +
           fmt::format("accuracy    {:.4f}{}\n", result.score(),
                       all.answered() < all.samples ? " (without an answer counts as wrong)" : "") +
           classes_text(result.classes, encoding.targets.front().categories) +
           confusion_text(result, encoding.targets.front().categories);
  return text +
         fmt::format("R2          {}{}\n", shown(result.score()),
                     all.answered() < all.samples ? " (without an answer counts as the mean)" : "") +
         errors_text(result, encoding);
}

// Prints what to know before relying on the numbers, on standard error.
template <class T>
void caution(const ModelOf<T>& model, const Summary& all, std::size_t dropped) {
  if (const std::string note = unfinished_note(model.metrics); !note.empty())
    std::cerr << "irn: " << one_line(note) << "\n";
  if (dropped > 0) std::cerr << fmt::format("irn: {} rows with missing values were left out\n", dropped);
  if (all.answered() < all.samples)
    std::cerr << fmt::format("irn: {} of {} rows did not settle and have no answer; {}\n",
                             all.samples - all.answered(), all.samples,
                             settling_advice(model.settle.certified));
  if (all.undecided > 0) std::cerr << "irn: " << undecided_note(all.undecided, all.samples) << "\n";
}

template <class T>
int evaluate_model(ModelOf<T>& model, const Command& command) {
  ThreadPool threads(command.use.threads);
  const Views views = command.views.of(model);
  const ModelUse<T> use = apply_model<T>(command.use, model.encoding, true, {}, threads, command.weights);
  Settler<T> settler(model.network, for_answers(model.settle), threads);
  const Assessment result = views.count == 1
                                ? assess<T>(settler, *use.samples, model.encoding, model.loss)
                                : assess_views<T>(settler, *use.samples, model.encoding, views, model.loss);
  if (command.json) {
    Json json = to_json(result, model.encoding);
    json["training"] = training_json(model.metrics);
    std::cout << json.dump(2) << "\n";
  } else {
    std::cout << to_text(result, model.encoding);
  }
  if (!command.quiet) caution(model, result.summary, use.samples->dropped());
  return fine;
}

}  // namespace

Run add_eval(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->use.declare(command->settings);
  command->views.declare(command->settings);
  command->settings.group("Output")
      .add("weights", &command->weights, "Column that says how much each row counts")
      .called("COLUMN")
      .add("json", &command->json, "Print the result as JSON")
      .add("quiet", &command->quiet, no_warnings_help);
  command->settings.declare(
      app, "eval", "Measure a model's errors on a table with known targets",
      "Examples:\n  irn eval flowers-model test.csv\n  irn eval flowers-model test.csv --json");
  return [command] {
    command->settings.resolve();
    AnyModel model = open_model(command->use);
    return std::visit([&](auto& m) { return evaluate_model(m, *command); }, model);
  };
}

}  // namespace irn::app
