// Cross-validation: for every fold a training, judged by rows that it did not see; and all rows together,
// each answered by the training that did not see it. Folds run side by side, one thread each; the result
// depends on the settings alone.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "apps/irn/train_data.h"
#include "irn/data/folds.h"
#include "irn/model/assess.h"
#include "irn/model/prediction.h"

namespace irn::app {

// How rows are cut into folds (irn/data/folds.h).
struct FoldSettings {
  std::size_t folds = 5, repeats = 1;
  std::string split = "auto", group, order;

  void declare(Settings& settings);
  // The split to use: "auto" becomes the split that the other options and the task call for.
  std::string chosen_split(Task task) const;
};

struct FoldJob {
  std::size_t repeat = 0, number = 0;  // counted from 1
  Fold fold;
};
// The folds of all repeats; each repeat deals the rows anew.
std::vector<FoldJob> make_folds(const FoldSettings& settings, const TrainingTable& table, std::uint64_t seed);

// The answer to a row from a training that did not see it.
struct RowAnswer {
  std::uint64_t row = 0;
  double weight = 1;
  std::vector<double> targets;  // for classification the index of the class
  Prediction prediction;        // its label is not used
  std::size_t answer = 0;       // for classification, if there is an answer
};

struct FoldResult {
  std::size_t repeat = 0, number = 0;
  std::size_t training_rows = 0, epochs = 0, best_epoch = 0;
  bool diverged = false;
  double seconds = 0;
  std::vector<RowAnswer> answers;
  Assessment assessment;  // of these rows
};

// Thrown out of a fold when the program should stop.
struct FoldInterrupted {};

// Runs on this thread. Repeat r trains with the seed of the settings + r - 1. A training that diverges
// answers with its best weights; if it has none, its rows have no answer.
FoldResult run_fold(const TrainSettings& settings, const TrainingTable& table, const FoldJob& job,
                    const std::atomic<bool>& stop);

// The scores of answers, from any networks. Classes and targets have the names of the table.
Assessment assess_answers(const std::vector<RowAnswer>& answers, const TrainingTable& table);

// Names and classes of the table's targets, in the table's units, for reports.
Encoding plain_targets(const TrainingTable& table);

// The mean over folds with its 95 % interval. Folds share most of their training rows, so that their spread
// is too small. The variance of the mean is therefore corrected by the sizes of the two parts: s^2 (1 / n +
// test rows / training rows) (Nadeau and Bengio, Machine Learning 52, 2003).
struct FoldMean {
  double mean = 0, low = 0, high = 0;  // not a number without two folds that have the metric
};
FoldMean mean_over_folds(const std::vector<FoldResult>& results, const std::string& metric,
                         const Encoding& encoding);

}  // namespace irn::app
