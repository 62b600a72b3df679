// Steps of training: forward, loss, gradient, new parameters.
//
// A sample whose equilibrium was not reached takes no part in the loss or in the gradient; every step reports
// how many did. Loss and gradient are weighted means, sum w L / sum w: a sample of weight 2 counts as two,
// one of weight 0 takes no part.
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
  // Without a certificate: samples without an answer pull the network towards this bound. Each step removes
  // their share of the excess over it; nothing is proven. 0: these samples only take no part.
  double pull = 0;
  // Share of the hidden neurons that a sample leaves out of its search (DropoutSamples). The outputs of the
  // others are multiplied by 1 / (1 - dropout); the bounds above allow for that.
  double dropout = 0;
  bool normalise = false;  // learn rows of weights as lengths and directions (optim/normalised_weights.h)
};

// `options.gradient`, marked as certified if training keeps a certificate.
GradientOptions gradient_of(const TrainOptions& options);

// The heads named or, without any, one on the last layer.
std::vector<Head> heads_of(const TrainOptions& options);

struct StepReport {
  // Of all heads together: weighted mean over the samples counted; NaN if there are none.
  double loss = 0;
  std::size_t samples = 0;
  std::size_t settled = 0;
  // Samples in the loss: those with an answer and a weight above 0.
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

  // The same in two halves, for callers that judge or keep the parameters before the step changes them.
  // apply() belongs to the latest look().
  StepReport look(const Samples<T>& samples, std::span<const std::uint64_t> index);
  void apply(StepReport& report);

  // With TrainOptions::certify: changes the network so that its certificate holds. Call it before the network
  // is judged or kept.
  void certify();
  // The same for another network of this architecture, such as a mean of earlier weights.
  void certify(NetworkOf<T>& other);

  // From now on steps may leave the parameters on the device that computes them; bring_back() fetches them.
  void stay_on_device();
  void bring_back() const;
  void bring_parameters() const;  // but not the optimiser's moments

  void update();  // call it when others have changed the network's parameters

  // Everything besides the parameters that the next step depends on. Also brings the parameters back.
  const OptimiserState<T>& state() const;
  std::uint64_t steps() const;  // of the optimiser
  // Continues from `state`; the network must have the parameters it had then.
  void restore(OptimiserState<T> state);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

extern template class Trainer<float>;
extern template class Trainer<double>;

}  // namespace irn
