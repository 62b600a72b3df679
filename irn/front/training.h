// Training of a Network: a ready-made step, or an optimiser for the caller's own loop.
//
//   irn::Training training(network, {.optimiser = "adam:rate=0.01", .loss = "huber"});
//   irn::StepReport report = training.step({inputs, 4}, {targets, 1});   // forward, loss, gradient, step
//
//   irn::Optimiser optimiser("adam:rate=0.01", network);                 // or with your own loss
//   irn::Pass pass = network.forward({inputs, 4});
//   ... slopes = dL/d(outputs), for the samples that have an answer ...
//   optimiser.step(network, network.backward(pass, {slopes, 1}).parameters());
#pragma once

#include <memory>

#include "irn/front/network.h"
#include "irn/optim/optimiser.h"
#include "irn/optim/schedule.h"
#include "irn/train/evaluate.h"
#include "irn/train/trainer.h"

namespace irn {

struct TrainingOptions {
  OrText<OptimiserOptions> optimiser = Adam{};
  OrText<Schedule> schedule = ConstantRate{};
  OrText<Loss> loss = Loss(SquaredLoss{});  // of the last layer
  std::vector<Head> heads = {};             // instead, if any are named: each with its own loss
  Differentiating gradient = {};
  double clip = 0;     // largest norm of a gradient; 0 does not clip
  double certify = 0;  // bound, below 1, of a certificate that training keeps (docs/settling.md); 0: none
  // Without a certificate: samples without an answer pull the network towards this bound; 0: they do not.
  double pull = 0;
};

// Trains `network` in place; it must outlive the training and must not be moved. For one caller at a time.
class Training {
 public:
  Training(Network& network, const TrainingOptions& options = {});
  ~Training();
  Training(Training&&) noexcept;

  // One step with these samples, one row each. `weights` has one weight for each sample; empty: 1 each.
  StepReport step(View inputs, View targets, View weights = {});
  // With TrainingOptions::certify: removes what the last steps have added beyond the bound, so that the
  // certificate holds. Call it before the network is judged or saved; steps do the same now and then.
  void certify();
  // Loss and score of the network with its present parameters.
  Evaluation evaluate(View inputs, View targets, View weights = {});

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

// Takes optimiser steps with any gradient of the parameters.
class Optimiser {
 public:
  Optimiser(const OrText<OptimiserOptions>& options, const Network& network);
  ~Optimiser();
  Optimiser(Optimiser&&) noexcept;

  // A gradient that is not finite changes nothing, and the outcome says so.
  [[nodiscard]] StepOutcome step(Network& network, View gradient, double rate_factor = 1);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace irn
