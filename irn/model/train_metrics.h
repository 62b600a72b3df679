// The results of a training, as numbers with names: in the model file, in `irn info` and in the JSON of `irn
// train`.
//   epochs, best_epoch                how far it came
//   complete                          1 if it came to its end, else 0
//   diverged                          only if that is 0: 1 if it went wrong, 0 if it was stopped or is still
//                                     running
//   validation_loss, validation_R2    of the model's weights over the rows held out, and so all other metrics
//                                     (irn/train/metrics.h)
//   training_loss                     with rows held out: the mean over the model's epoch, while the weights
//                                     moved
//   training_loss, training_R2        without: of the model's weights over the rows they were trained on
//   settled                           share of the judging rows that settled
//   judged_rows, unsettled_rows       the number of judging rows, and of those without an answer
// Results on the training rows are never called validation.
#pragma once

#include <map>
#include <string>

#include "irn/model/assess.h"
#include "irn/train/fit.h"

namespace irn {

// The name of the rows that judge: "validation" if they were held out, else "training".
inline std::string judged_by(bool held_out) { return held_out ? "validation" : "training"; }

// `best_epoch` counts from 1; 0 if there is none. `assessment`, of the best weights, may be null while
// training continues.
std::map<std::string, double> metrics_of(const std::vector<EpochRecord>& records, std::size_t best_epoch,
                                         std::optional<FitEnd> end, bool held_out, const FitOptions& options,
                                         const Assessment* assessment, const Encoding& encoding);

// The name of the score of a record: "R2", "accuracy", or the metric of --metric.
std::string score_name(const FitOptions& options);

}  // namespace irn
