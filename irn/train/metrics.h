// What answers are worth, in the numbers people know. This file is the one place that says what each of them means: training, reports, model
// files, `irn eval` and cross-validation show these.
//
// A row without an answer is never left out, or a network would look better the less it answers.
//   classes   it counts as a row answered wrongly, and with certainty: no class gets it, every comparison with it is lost
//   numbers   it counts as answered with the mean of all rows, which is what is known without looking at it: R2 is 0 there
//
// Classes, rows weighted by w (1 unless said otherwise), p_k the probability of class k:
//   accuracy            share of the rows whose answer is their class
//   recall_k            that share among the rows of class k;  balanced accuracy: its mean over the classes that have rows
//   precision_k         share of class k among the rows answered k, 0 if there are none;  F1_k = 2 precision recall / (precision + recall)
//   roc_auc_k           share of the pairs (row of class k, other row) in which the former has the larger p_k; a tie is half a pair
//   pr_auc_k            average precision: sum over the thresholds, falling, of (recall_k's rise) * precision_k
//   log_loss            mean of -log p of the row's class, p held within [2.2e-16, 1 - 2.2e-16]
//   calibration_error   over ten bins of the answer's probability: mean of |share that is right - mean probability|, by weight
// Precision, recall, F1 and the two areas of a whole table are the means over its classes: for the first three those that stand in the rows or
// among the answers, for areas those that some rows have and others have not.
//
// Numbers, of each target with errors e = answer - target:
//   R2 = 1 - sum w e^2 / sum w (t - mean t)^2,  rms = sqrt(mean e^2),  absolute = mean |e|,  median_absolute and quantiles: of |e| and of e
// Not a number where there is nothing to judge.
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
// irn::Error with a suggestion for another name; '-' may stand for '_'.
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

// Rows of classes, one after the other.
class ClassJudge {
 public:
  // Two classes: the second is the answer if its probability reaches the threshold. More: the first of the most probable.
  explicit ClassJudge(std::size_t classes, double threshold = 0.5);

  // Empty `probabilities` mean no answer. `answer` replaces the answer that the threshold gives, for a
  // network with another threshold.
  void add(std::size_t truth, std::span<const double> probabilities, double weight = 1,
           std::optional<std::size_t> answer = {});
  Classification scores() const;
  // Areas take one pass over the rows for each class; with more classes than this they are not a number.
  static constexpr std::size_t most_classes_for_areas = 100;

  // The threshold of two classes at which `metric` is best, halfway between two rows; 0.5 if none is better.
  double best_threshold(Metric metric) const;
  // (share of other rows, share of the class's rows) with p_k at least the threshold, as that falls: the ROC curve of a class.
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

// Rows of one target.
class NumberJudge {
 public:
  void add(double target, double answer, double weight = 1);
  void add_unanswered(double target, double weight = 1);
  TargetScores scores() const;

 private:
  std::vector<double> targets_, answers_, weights_;  // the answer of an unanswered row is NaN
};

}  // namespace irn
