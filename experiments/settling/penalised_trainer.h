// Training with a penalty on the Jacobian at the equilibria, for free networks that are to keep away from folds:
//   L + strength R,   R = mean over samples of |D A|^2 / n,   D = f'(A z + B x + b),   entries of A on loops only
// (Bai, Koltun and Kolter, "Stabilizing equilibrium models by Jacobian regularization", 2021, who estimate the norm by Hutchinson's method; here
// networks are small and it is computed.) The gradient is exact: R depends on A, and through D on the equilibrium, whose part goes the way of
// the loss's own. Promises nothing: it asks, and only of samples that settled.
// For dense blocks and samples of weight 1.
#pragma once

#include "irn/train/trainer.h"

namespace irn::experiments {

template <class T>
class PenalisedTrainer {
 public:
  // `strength` is relative to the loss of the first batch, before any step: what knowing nothing costs.
  PenalisedTrainer(NetworkOf<T>& network, const TrainOptions& options, double strength, ThreadPool& threads);

  StepReport look(const Samples<T>& samples, std::span<const std::uint64_t> index);
  void apply(StepReport& report);

  // Of the last look: L + strength R, for tests.
  double penalised_loss() const { return penalised_loss_; }
  std::span<const T> gradient() const { return result_.parameters; }  // after apply(), not clipped

 private:
  void add_sample(std::span<const T> state, std::span<const T> targets, std::span<T> slopes,
                  StepReport& report);
  void add_explicit_part();

  NetworkOf<T>* network_;
  TrainOptions options_;
  double strength_, unit_ = 0;
  BatchGradient<T> gradient_;
  OptimiserOf<T> optimiser_;
  Forward<T> forward_;
  GradientResult<T> result_;
  std::vector<std::size_t> blocks_;    // on loops
  std::vector<Activation> functions_;  // of each neuron
  std::vector<double> row_squares_;    // sum_j a_ij^2
  std::vector<double> slope_squares_;  // mean over the samples of d_i^2
  std::vector<T> targets_, slopes_;
  double penalised_loss_ = 0;
};

extern template class PenalisedTrainer<float>;
extern template class PenalisedTrainer<double>;

}  // namespace irn::experiments
