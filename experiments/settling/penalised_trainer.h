// Training with a penalty (penalty.h) added to the loss:   L + strength R,   R the mean over samples
// The gradient is exact: R depends on A and, through D, on the equilibrium; this part of the gradient goes
// the way of the loss's own. A penalty promises nothing: it only discourages, and only where samples settled.
// For dense blocks and samples of weight 1.
#pragma once

#include "experiments/settling/penalty.h"
#include "irn/train/trainer.h"

namespace irn::experiments {

template <class T>
class PenalisedTrainer {
 public:
  // `strength` is relative to the loss of the first batch, before any step: the loss of knowing nothing.
  PenalisedTrainer(NetworkOf<T>& network, const TrainOptions& options, Penalty penalty, double strength,
                   ThreadPool& threads);

  StepReport look(const Samples<T>& samples, std::span<const std::uint64_t> index);
  void apply(StepReport& report);

  // L + strength R of the last look(), for tests.
  double penalised_loss() const { return penalised_loss_; }
  std::span<const T> gradient() const { return result_.parameters; }  // after apply(), not clipped

 private:
  void add_sample(std::span<const T> state, std::span<const T> targets, std::span<T> slopes,
                  StepReport& report);

  NetworkOf<T>* network_;
  TrainOptions options_;
  PenaltyOf<T> penalty_;
  double strength_, unit_ = 0;
  BatchGradient<T> gradient_;
  OptimiserOf<T> optimiser_;
  Forward<T> forward_;
  GradientResult<T> result_;
  std::vector<T> targets_, slopes_;
  double penalised_loss_ = 0;
};

extern template class PenalisedTrainer<float>;
extern template class PenalisedTrainer<double>;

}  // namespace irn::experiments
