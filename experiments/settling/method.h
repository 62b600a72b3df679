// Ways of training that keep a network settling, or do not. The study compares what is in this one list.
#pragma once

#include <string_view>
#include <vector>

#include "experiments/settling/neuron_weights.h"
#include "experiments/settling/penalty.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/gradient/gradient.h"
#include "irn/network/architecture.h"

namespace irn::experiments {

// What is held while a network is trained. Each makes sure of one equilibrium, which the flow reaches from everywhere.
enum class Hold : unsigned char {
  nothing,
  symmetric,  // the symmetric part of A over its loops: TrainOptions::certify
  rows,       // the rows of A over its loops, so that the flow contracts in the maximum norm: row_bounds.h
  monotone    // the same set as `symmetric`, by parametrisation: monotone_operator.h
};

struct Method {
  std::string_view name, label;  // of keys; of tables and figures
  Hold hold = Hold::nothing;
  double bound = 0;  // of what is held, below 1
  Gradient gradient = ExactGradient{};
  bool recurrent = true;
  Weights weights = Weights::ones;  // of the neurons, in what `symmetric` holds (neuron_weights.h)
  double loop_rate = 1;             // the rate of what lies on loops, times this
  double averaging =
      0;  // answers with a mean of the weights over about 1 / (1 - averaging) steps; 0: with the last
  bool shortened = false;  // a step after which a sample of its batch is lost is halved, and at last undone
  double pull = 0;         // bound towards which samples without an answer pull: TrainOptions::pull
  Penalty penalty = Penalty::none;  // beside the loss (penalised_trainer.h)
  double strength = 0;              // of it
  int colour = -1;                  // in figures, the same in all
  std::string_view about = {};      // in words, for the report

  bool certified() const { return recurrent && hold != Hold::nothing; }
  // Not by the trainer's own certifier, which knows neither weights nor steps that others lengthen.
  bool certified_apart() const {
    return recurrent && hold == Hold::symmetric && (weights != Weights::ones || loop_rate != 1);
  }
};

const std::vector<Method>& methods();
const Method& method(std::string_view name);

// The network of this method: without recurrence, or with its operator on lateral blocks. An operator is one block, so that with `monotone`
// feedback between layers is left out.
Architecture architecture_for(const Method& method, std::size_t inputs, const std::vector<Layer>& layers,
                              Recurrence recurrence);
SettleOptions settle_for(const Method& method, SettleOptions options = {});

}  // namespace irn::experiments
