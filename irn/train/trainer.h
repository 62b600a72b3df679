// The loop in time: forward, loss, gradient, step.
//
// A sample whose equilibrium was not reached takes no part in the loss or in the gradient; every step says how many did.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "irn/gradient/batch_gradient.h"
#include "irn/optim/optimiser.h"
#include "irn/optim/schedule.h"
#include "irn/train/loss.h"

namespace irn {

struct TrainOptions {
  GradientOptions gradient = {};
  OptimiserOptions optimiser = Adam{};
  Schedule schedule = ConstantRate{};
  Loss loss = Squares{};
  double clip = 0;  // largest norm of a gradient; 0 does not clip
};

struct StepReport {
  double loss = 0;  // mean over the samples counted; not a number if there are none
  std::size_t samples = 0;
  std::size_t settled = 0;
  std::size_t counted = 0;  // in the loss: those that have an answer
  std::size_t used = 0;     // in the gradient: counted and not beyond a fold
  double mean_evaluations = 0;
  double mean_products = 0;  // of the gradient, GradientResult::products
  double gradient_norm = 0;  // before clipping; 0 if not asked for by `clip`
  bool applied = false;      // false if no sample could be used or the gradient was refused
};

template <class T>
class Trainer {
 public:
  // Trains `network` in place; it and `threads` must outlive the trainer, which is for one caller at a time.
  Trainer(Network<T>& network, const TrainOptions& options, ThreadPool& threads);
  ~Trainer();
  Trainer(Trainer&&) noexcept;

  StepReport step(const Samples<T>& samples, std::span<const std::uint64_t> index);

  // The same in two halves, for callers that judge or keep the parameters a batch was seen with before they change:
  // apply() goes with the last look().
  StepReport look(const Samples<T>& samples, std::span<const std::uint64_t> index);
  void apply(StepReport& report);

  void update();  // the network's parameters were changed, by others than the trainer

  // Everything besides the parameters that the next step depends on.
  const OptimiserState<T>& state() const;
  // After the parameters and the state were put back.
  void restore(OptimiserState<T> state);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class Trainer<float>;
extern template class Trainer<double>;

}  // namespace irn
