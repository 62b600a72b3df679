// What a training reached, as numbers with names: in the model file, in `irn info` and in the JSON of `irn train`.
//   epochs, best_epoch, complete      how far it came; 0 instead of 1 if it did not come to its end, and then
//   diverged                          whether it never will
//   validation_loss, validation_R2    of the model's weights over the rows held out, as all other metrics (irn/train/metrics.h); beside
//   training_loss                     the mean over the epoch of these weights, while they moved
//   training_loss, training_R2        of the model's weights over the rows they were trained on, where none were held out
//   settled                           share of the rows that judged
//   judged_rows, unsettled_rows       how many they are, and how many of them have no answer
// What the training rows say of themselves is never called validation.
#pragma once

#include <map>
#include <string>

#include "irn/model/assess.h"
#include "irn/train/fit.h"

namespace irn {

// What the rows that judge are called: "validation" if they were held out, else "training".
inline std::string judged_by(bool held_out) { return held_out ? "validation" : "training"; }

// `best_epoch` counts from 1; 0 if there is none. The assessment of the best weights may be missing while training goes on.
std::map<std::string, double> metrics_of(const std::vector<EpochRecord>& records, std::size_t best_epoch,
                                         std::optional<FitEnd> end, bool held_out, const FitOptions& options,
                                         const Assessment* assessment, const Encoding& encoding);

// What the score of a record is: "R2", "accuracy", or what --metric names.
std::string score_name(const FitOptions& options);

}  // namespace irn
