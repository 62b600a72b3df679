// Cross-validation: a training for every fold, judged by rows that it did not see; and all rows together, each answered by the training that did
// not see it. Folds run side by side, a thread each; what comes out depends on the settings alone.
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
  // The split that is meant: "auto" becomes what the other options and the task say.
  std::string chosen_split(Task task) const;
};

struct FoldJob {
  std::size_t repeat = 0, number = 0;  // counted from 1
  Fold fold;
};
// All repeats of all folds; each repeat deals anew.
std::vector<FoldJob> make_folds(const FoldSettings& settings, const TrainingTable& table, std::uint64_t seed);

// A row as it was answered by a training that did not see it.
struct RowAnswer {
  std::uint64_t row = 0;
  double weight = 1;
  std::vector<double> targets;  // of a classification the place of the class
  Prediction prediction;        // its label is not used
  std::size_t answer = 0;       // of a classification, if there is one
};

struct FoldResult {
  std::size_t repeat = 0, number = 0;
  std::size_t training_rows = 0, epochs = 0, best_epoch = 0;
  bool diverged = false;
  double seconds = 0;
  std::vector<RowAnswer> answers;
  Assessment assessment;  // of these rows
};

// Thrown out of a fold when the program is to stop.
struct FoldInterrupted {};

// On this thread. Training r of the repeats has the seed r - 1 beyond that of the settings. A training that diverges answers with its best weights;
// if it has none its rows have no answer.
FoldResult run_fold(const TrainSettings& settings, const TrainingTable& table, const FoldJob& job,
                    const std::atomic<bool>& stop);

// What answers are worth, whichever networks gave them; `encoding` names classes and targets.
Assessment assess_answers(const std::vector<RowAnswer>& answers, const TrainingTable& table);

// Names and classes of the table's targets, for reports: units are those of the table.
Encoding plain_targets(const TrainingTable& table);

// The mean over folds with its 95 % interval. Folds share most of their training rows, so that their spread is too small; the variance of the mean is
// corrected by the sizes of the two parts: s^2 (1 / n + test rows / training rows) (Nadeau and Bengio, Machine Learning 52, 2003).
struct FoldMean {
  double mean = 0, low = 0, high = 0;  // not a number without two folds that have the metric
};
FoldMean mean_over_folds(const std::vector<FoldResult>& results, const std::string& metric,
                         const Encoding& encoding);

}  // namespace irn::app
