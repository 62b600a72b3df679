#include "irn/model/train_metrics.h"

#include "irn/train/score.h"

namespace irn {

std::map<std::string, double> metrics_of(const std::vector<EpochRecord>& records, std::size_t best_epoch,
                                         std::optional<FitEnd> end, bool held_out, const FitOptions& options,
                                         const Assessment* assessment, const Encoding& encoding) {
  const bool diverged = end && went_wrong(*end), complete = end && !diverged;
  std::map<std::string, double> all = {{"epochs", double(records.size())},
                                       {"best_epoch", double(best_epoch)},
                                       {"complete", complete ? 1.0 : 0.0}};
  if (!complete) all["diverged"] = diverged ? 1 : 0;
  if (best_epoch == 0) return all;
  const EpochRecord& best = records[best_epoch - 1];
  const std::string judged = judged_by(held_out) + "_";
  // If the training rows judge, replaced by the loss with the weights at rest.
  all["training_loss"] = best.loss;
  all[judged + "loss"] = best.validation_loss;
  all["settled"] = best.validation_settled;
  if (!assessment) all[judged + score_name(options)] = best.score;
  if (!assessment) return all;
  for (const auto& [name, number] : assessment->numbers(encoding)) all[judged + name] = number;
  all["judged_rows"] = double(assessment->summary.samples);
  all["unsettled_rows"] = double(assessment->summary.samples - assessment->summary.answered());
  return all;
}

std::string score_name(const FitOptions& options) {
  return std::string(options.metric == Metric::loss ? Score::name(options.training.loss)
                                                    : name(options.metric));
}

}  // namespace irn
