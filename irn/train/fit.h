// Trains to the end: epochs of shuffled batches, an evaluation after each, and the best weights kept.
//
//   Fit<float> fit(network, training, &validation, {.epochs = 100}, threads);
//   while (!fit.ended()) fit.step();
//   fit.best().put_into(network);
//
// Everything that later steps depend on is in state(): a fit that continues from it ends with the same bits
// as one that was never interrupted. Batch k of epoch e is a pure function of (seed, e, k).
//
// With FitOptions::average a running mean of the weights is judged and kept: m = d m + (1 - d) p after every
// step, with d = min(average, t / (t + 9)) in step t. At first it is the mean over about the last tenth of
// the steps. If training keeps a certificate, the mean has one, too: the largest eigenvalue of a matrix that
// is linear in the weights is convex, so a mean of matrices within the bound is within it. Two things break
// this and are corrected before the mean is judged: what steps have added since the last check
// (optim/certifier.h), and blocks that are not linear in their parameters.
// Writes no files, and looks at the clock only to time the epochs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "irn/train/augmented_samples.h"
#include "irn/train/batch_rows.h"
#include "irn/train/best_parameters.h"
#include "irn/train/dropout_samples.h"
#include "irn/train/judged.h"
#include "irn/train/noisy_samples.h"

namespace irn {

struct FitOptions {
  TrainOptions training = default_training();
  std::size_t epochs = 100;
  std::size_t batch = 32;
  std::size_t patience = 0;        // epochs without a better cost before the fit ends; 0: all epochs
  double noise = 0;                // deviation of noise on the inputs in training, see NoisySamples
  Augmentation augmentation = {};  // of images in training; noise comes on top
  ImageShape image = {};           // of the inputs; augmentation needs it
  // The weight d of the old mean in the running mean of the weights (see above), below 1; 0: no mean.
  double average = 0;
  std::uint64_t seed = 0;
  // The best weights are chosen by this metric: the loss (BestParameters), or another one that fits the task
  // and is then also the score of a record. Another metric needs a single head, on the last layer.
  Metric metric = Metric::loss;
  std::vector<Unit> units = {};  // of the targets, for metrics in these units; none: as they are
  double threshold = 0.5;        // of two classes, for the score (ClassJudge)
  // An epoch in which a smaller share of the samples (by weight) has an answer ends the fit.
  double least_settled = 0.5;
};

// One epoch, as it is written to the log. Losses and the score are weighted means. Training numbers are taken
// over the steps of the epoch, while the weights moved. Validation numbers are those of the weights at its
// end, over the training samples if there are no validation samples.
struct EpochRecord {
  std::size_t epoch = 0;  // counted from 1
  double loss = 0;
  double settled = 0;  // share of the training samples
  double evaluations = 0;
  double gradient_norm = 0;  // before clipping
  double rate = 0;           // of the last step
  double validation_loss = 0;
  double validation_settled = 0;
  double score = 0;   // accuracy or R2 of the first head, see Score; or what FitOptions::metric names
  bool best = false;  // its weights are the best so far
  double seconds = 0;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("epoch", epoch);
    visit("loss", loss);
    visit("settled", settled);
    visit("evaluations", evaluations);
    visit("gradient_norm", gradient_norm);
    visit("rate", rate);
    visit("validation_loss", validation_loss);
    visit("validation_settled", validation_settled);
    visit("score", score);
    visit("best", best);
    visit("seconds", seconds);
  }
};

enum class FitEnd : unsigned char {
  all_epochs,
  patience,    // no better cost for `patience` epochs
  not_finite,  // the loss left the range of numbers
  unsettled,   // too many equilibria vanished
  no_gradient  // not one sample of an epoch could be used (GradientOutcome): nothing moved
};
constexpr bool went_wrong(FitEnd end) { return end != FitEnd::all_epochs && end != FitEnd::patience; }

// Sums over the steps of the epoch under way.
struct EpochSums {
  std::size_t steps = 0, samples = 0, settled = 0, counted = 0, used = 0;
  double weight = 0, counted_weight = 0;  // of the samples
  double loss = 0, evaluations = 0, gradient_norm = 0, rate = 0, seconds = 0;
};

template <class T>
struct FitState {
  EpochSums sums;  // of the epoch under way, or of the one that went wrong
  std::vector<EpochRecord> records;
  std::vector<T> parameters;
  OptimiserState<T> optimiser;
  BestParameters<T> best;
  std::vector<T> average = {};  // of the parameters, if there is one
};

template <class T>
class Fit {
 public:
  // Trains `network` in place. All arguments must outlive the fit. Without validation samples, the training
  // samples judge.
  Fit(NetworkOf<T>& network, const Samples<T>& training, const Samples<T>* validation,
      const FitOptions& options, ThreadPool& threads);

  // One step of the optimiser; the last one of an epoch adds a record. Must not be called after the end.
  StepReport step();
  std::optional<FitEnd> ended() const { return ended_; }

  const FitOptions& options() const { return options_; }
  std::size_t samples() const { return training_->size(); }
  std::size_t steps_per_epoch() const { return (training_->size() + options_.batch - 1) / options_.batch; }
  std::size_t steps_done() const {  // the sums of an epoch that went wrong stay, and so does its record
    return records_.size() * steps_per_epoch() + (sums_.steps < steps_per_epoch() ? sums_.steps : 0);
  }
  const std::vector<EpochRecord>& records() const { return records_; }
  const EpochSums& sums() const { return sums_; }
  const BestParameters<T>& best() const { return best_; }
  std::size_t best_epoch() const;  // 0 if there is none

  // May be called at any time, also after the end. A fit with the same arguments continues from it, or has
  // ended in the same way.
  FitState<T> state() const;
  // Throws irn::Error for the state of a fit with other parameters. A state from within an epoch also needs
  // the same number of samples and the same batch size.
  void restore(FitState<T> state);

 private:
  void start_epoch();
  void count(const StepReport& report);
  void end_epoch();
  std::optional<FitEnd> what_went_wrong(const EpochSums& sums) const;
  std::optional<FitEnd> why_ended() const;
  void take_into_average();
  const NetworkOf<T>& judged_network();
  bool judge(EpochRecord& record, const NetworkOf<T>& network);  // whether it is the best so far

  NetworkOf<T>* network_;
  const Samples<T>* training_;
  ThreadPool* threads_;
  std::optional<AugmentedSamples<T>> augmented_;
  NoisySamples<T> noisy_;
  DropoutSamples<T> dropped_;  // of training: all of these together
  BatchRows<T> batch_;
  const Samples<T>* judges_;
  FitOptions options_;
  Trainer<T> trainer_;
  Settler<T> settler_;
  BestParameters<T> best_;
  std::vector<T> average_;
  std::optional<NetworkOf<T>> averaged_;  // with the mean of an epoch's end
  std::vector<EpochRecord> records_;
  EpochSums sums_;
  std::vector<std::uint64_t> order_;  // of the samples in this epoch
  std::optional<FitEnd> ended_;
  std::chrono::steady_clock::time_point clock_;
};

extern template class Fit<float>;
extern template class Fit<double>;

}  // namespace irn
