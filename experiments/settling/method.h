// The one list of training methods that the study compares, some of which keep a network settling.
#pragma once

#include <string_view>
#include <vector>

#include "experiments/settling/neuron_weights.h"
#include "experiments/settling/penalty.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/gradient/gradient.h"
#include "irn/network/architecture.h"

namespace irn::experiments {

// What holds throughout training. Each ensures a single equilibrium, which the flow reaches from everywhere.
enum class Hold : unsigned char {
  nothing,
  symmetric,  // the symmetric part of A over its loops: TrainOptions::certify
  rows,       // the rows of A over its loops, so that the flow contracts in the maximum norm: row_bounds.h
  monotone    // the same set as `symmetric`, by parametrisation: monotone_operator.h
};

struct Method {
  std::string_view name, label;  // for keys; for tables and figures
  Hold hold = Hold::nothing;
  double bound = 0;  // of what is held; below 1
  Gradient gradient = ExactGradient{};
  bool recurrent = true;
  Weights weights = Weights::ones;  // of the neurons, for `symmetric` (neuron_weights.h)
  double loop_rate = 1;             // a factor for the rate of parameters on loops
  // Answers with a mean of the weights over about 1 / (1 - averaging) steps; 0: with the last weights.
  double averaging = 0;
  // A step that loses a sample of its batch is halved repeatedly, and finally undone.
  bool shortened = false;
  double pull = 0;  // the bound towards which samples without an answer pull: TrainOptions::pull
  Penalty penalty = Penalty::none;  // in addition to the loss (penalised_trainer.h)
  double strength = 0;              // of the penalty
  int colour = -1;                  // in figures, the same in all of them
  std::string_view about = {};      // a description for the report

  bool certified() const { return recurrent && hold != Hold::nothing; }
  // Certified by WeightedCertifier: the trainer's own certifier knows no weights, and no steps that others
  // lengthen.
  bool certified_apart() const {
    return recurrent && hold == Hold::symmetric && (weights != Weights::ones || loop_rate != 1);
  }
};

const std::vector<Method>& methods();
const Method& method(std::string_view name);

// The network of this method: without recurrence, or with the method's operator on lateral blocks. An
// operator belongs to one block, so that `monotone` has no feedback between layers.
Architecture architecture_for(const Method& method, std::size_t inputs, const std::vector<Layer>& layers,
                              Recurrence recurrence);
SettleOptions settle_for(const Method& method, SettleOptions options = {});

}  // namespace irn::experiments
