// The loop in time: forward, loss, gradient, step.
//
// A sample whose equilibrium was not reached takes no part in the loss or in the gradient; every step says how many did. Loss and
// gradient are means by the samples' weights, sum w L / sum w: one of weight 2 counts as two, one of weight 0 takes no part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "irn/engine/batch_gradient.h"
#include "irn/optim/optimiser.h"
#include "irn/optim/schedule.h"
#include "irn/train/heads.h"

namespace irn {

struct TrainOptions {
  GradientOptions gradient = {};
  OptimiserOptions optimiser = Adam{};
  Schedule schedule = ConstantRate{};
  Loss loss = SquaredLoss{};     // of the last layer
  std::vector<Head> heads = {};  // instead, if any are named: each has its own loss
  double clip = 0;               // largest norm of a gradient; 0 does not clip
  double certify = 0;            // bound of a certificate that training keeps (optim/certifier.h); 0: none
  // Without a certificate, the bound of one towards which samples without an answer pull: each step takes out their share of what exceeds
  // it. Nothing is promised. 0: they only take no part.
  double pull = 0;
  // What samples leave out of a search (DropoutSamples). Those that stay speak 1 / (1 - dropout) times as loud, and so the bounds above hold for that.
  double dropout = 0;
  bool normalise = false;  // learn rows of weights as lengths and directions (optim/normalised_weights.h)
};

// The gradient's options, in which a certificate that training keeps counts.
GradientOptions gradient_of(const TrainOptions& options);

// The heads named, or the one on the last layer.
std::vector<Head> heads_of(const TrainOptions& options);

struct StepReport {
  double loss =
      0;  // of all heads together, weighted mean over the samples counted; not a number if there are none
  std::size_t samples = 0;
  std::size_t settled = 0;
  // In the loss: those that have an answer and a weight above 0.
  std::size_t counted = 0;
  std::size_t used = 0;       // in the gradient: counted and not beyond a fold
  double weight = 0;          // of all samples
  double counted_weight = 0;  // of those in the loss
  double mean_evaluations = 0;
  double mean_products = 0;  // of the gradient, GradientResult::products
  double gradient_norm = 0;  // before clipping; 0 if not asked for by `clip`
  bool applied = false;      // false if no sample could be used or the gradient was refused
};

template <class T>
class Trainer {
 public:
  // Trains `network` in place; it and `threads` must outlive the trainer, which is for one caller at a time.
  Trainer(NetworkOf<T>& network, const TrainOptions& options, ThreadPool& threads);
  ~Trainer();
  Trainer(Trainer&&) noexcept;

  StepReport step(const Samples<T>& samples, std::span<const std::uint64_t> index);

  // The same in two halves, for callers that judge or keep the parameters a batch was seen with before they change:
  // apply() goes with the last look().
  StepReport look(const Samples<T>& samples, std::span<const std::uint64_t> index);
  void apply(StepReport& report);

  // With TrainOptions::certify: brings the network to where its certificate holds. Before it is judged or kept.
  void certify();
  // The same of another network of this architecture: a mean of weights that this one had, say.
  void certify(NetworkOf<T>& other);

  // From now on steps may leave the network's parameters where they are computed, on a device, and bring_back() brings them.
  void stay_on_device();
  void bring_back() const;
  void bring_parameters() const;  // and leaves the optimiser's moments there

  void update();  // the network's parameters were changed, by others than the trainer

  // Everything besides the parameters that the next step depends on. Brings the parameters back, too.
  const OptimiserState<T>& state() const;
  std::uint64_t steps() const;  // of the optimiser
  // After the parameters and the state were put back.
  void restore(OptimiserState<T> state);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

extern template class Trainer<float>;
extern template class Trainer<double>;

}  // namespace irn
