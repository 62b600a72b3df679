// How good answers are, in the usual numbers. This file is the one place that defines them; training,
// reports, model files, `irn eval` and cross-validation show these numbers.
//
// A row without an answer is never left out; otherwise a network would look better the less it answers.
//   classes   the row counts as answered wrongly, and with certainty: no class has it among its answers, and
//             it loses every comparison
//   numbers   the row counts as answered with the mean of all rows, which takes no look at it: R2 is 0 there
//
// Classes, for rows of weight w (1 unless stated otherwise), where p_k is the probability of class k:
//   accuracy            share of the rows whose answer is their class
//   recall_k            that share among the rows of class k; balanced accuracy is its mean over the classes
//                       that have rows
//   precision_k         share of class k among the rows answered k, 0 if there are none; F1_k = 2 precision
//                       recall / (precision + recall)
//   roc_auc_k           share of the pairs (row of class k, other row) in which the former has the larger
//                       p_k; a tie is half a pair
//   pr_auc_k            average precision: sum over the falling thresholds of (rise of recall_k) *
//                       precision_k
//   log_loss            mean of -log p of the row's class, with p clamped to [2.2e-16, 1 - 2.2e-16]
//   calibration_error   over ten bins of the answer's probability: mean of |share of right answers - mean
//                       probability|, by weight
// Precision, recall, F1 and the two areas of a whole table are means over its classes. The first three are
// over the classes that occur in the rows or among the answers, the areas over those that some rows have and
// others have not.
//
// Numbers, for each target with errors e = answer - target:
//   R2 = 1 - sum w e^2 / sum w (t - mean t)^2,  rms = sqrt(mean e^2),  absolute = mean |e|,
//   median_absolute: the median of |e|,  quantiles: of e
// A metric is NaN if there is nothing to judge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace irn {

enum class Metric : unsigned char {
  loss,  // what training lowers, see BestParameters for what an unsettled row costs there
  accuracy,
  balanced_accuracy,
  precision,
  recall,
  f1,
  roc_auc,
  pr_auc,
  log_loss,
  calibration_error,
  r2,
  rms,
  absolute,
  median_absolute
};
inline constexpr std::array<std::string_view, 14> metric_names = {
    "loss",   "accuracy", "balanced_accuracy", "precision", "recall", "f1",       "roc_auc",
    "pr_auc", "log_loss", "calibration_error", "R2",        "rms",    "absolute", "median_absolute"};
constexpr std::string_view name(Metric metric) { return metric_names[static_cast<std::size_t>(metric)]; }
// Throws irn::Error, which suggests a name, for an unknown one; '-' may stand for '_'.
Metric metric_named(std::string_view name);
constexpr bool of_classes(Metric metric) { return metric >= Metric::accuracy && metric < Metric::r2; }
constexpr bool of_numbers(Metric metric) { return metric >= Metric::r2; }
constexpr bool larger_is_better(Metric metric) {
  return (of_classes(metric) && metric != Metric::log_loss && metric != Metric::calibration_error) ||
         metric == Metric::r2;
}

using NamedNumbers = std::vector<std::pair<std::string, double>>;

struct ClassScores {
  double rows = 0, answers = 0;  // by weight: of this class, answered with it
  double precision = 0, recall = 0, f1 = 0, roc_auc = 0, pr_auc = 0;
};

struct CalibrationBin {
  // weight; mean probability of the answers, share that is right
  double rows = 0, probability = 0, right = 0;
};

struct Classification {
  double accuracy = 0, balanced_accuracy = 0, precision = 0, recall = 0, f1 = 0, roc_auc = 0, pr_auc = 0,
         log_loss = 0, calibration_error = 0;
  std::vector<ClassScores> classes;
  std::vector<CalibrationBin> calibration;  // from 0 to 1
  std::vector<double> confusion;  // by weight: row true class, column answer; unanswered rows are in none

  double value(Metric metric) const;  // not of loss
  NamedNumbers numbers() const;       // all of the first line, by their names
};

// The places in the sorted errors that TargetScores::quantiles holds.
inline constexpr std::array<double, 5> error_quantiles = {0.05, 0.25, 0.5, 0.75, 0.95};

struct TargetScores {
  double r2 = 0, rms = 0, absolute = 0, median_absolute = 0;
  std::array<double, error_quantiles.size()> quantiles = {};

  double value(Metric metric) const;
  NamedNumbers numbers() const;
};

// Judges rows that are classified.
class ClassJudge {
 public:
  // With two classes the answer is the second if its probability reaches the threshold (exceeds it, if that
  // is 0.5). With more it is the most probable class, the first of them in a tie.
  explicit ClassJudge(std::size_t classes, double threshold = 0.5);

  // Empty `probabilities` mean no answer. `answer` replaces the answer that the threshold gives, for a
  // network with another threshold.
  void add(std::size_t truth, std::span<const double> probabilities, double weight = 1,
           std::optional<std::size_t> answer = {});
  Classification scores() const;
  // Areas take one pass over the rows for each class; with more classes than this they are NaN.
  static constexpr std::size_t most_classes_for_areas = 100;

  // The threshold of two classes at which `metric` is best (the accuracy, for a metric that has no
  // threshold), halfway between two rows; 0.5 if none is better.
  double best_threshold(Metric metric) const;
  // The ROC curve of a class: points (share of the other rows, share of the class's rows) with p_k at or
  // above the threshold, as the threshold falls.
  std::vector<std::pair<double, double>> roc_curve(std::size_t of_class) const;

 private:
  std::vector<std::pair<double, std::size_t>> ranking(std::size_t of_class) const;
  void add_areas(Classification& result) const;
  void add_calibration(Classification& result) const;

  std::size_t classes_;
  double threshold_;
  // probabilities row after row; those of an unanswered row are NaN
  std::vector<double> probabilities_, weights_;
  std::vector<std::size_t> truth_, answers_;
};

std::size_t answer_of(std::span<const double> probabilities, double threshold);

// Judges the rows of one target.
class NumberJudge {
 public:
  void add(double target, double answer, double weight = 1);
  void add_unanswered(double target, double weight = 1);
  TargetScores scores() const;

 private:
  std::vector<double> targets_, answers_, weights_;  // the answer of an unanswered row is NaN
};

}  // namespace irn
