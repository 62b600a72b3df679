// Ways of training that keep a network settling, or do not. The study compares what is in this one list.
#pragma once

#include <string_view>
#include <vector>

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
  double averaging =
      0;  // answers with a mean of the weights over about 1 / (1 - averaging) steps; 0: with the last
  double penalty = 0;           // on the Jacobian at the equilibria (penalised_trainer.h)
  int colour = -1;              // in figures, the same in all
  std::string_view about = {};  // in words, for the report

  bool certified() const { return recurrent && hold != Hold::nothing; }
};

const std::vector<Method>& methods();
const Method& method(std::string_view name);

// The network of this method: without recurrence, or with its operator on lateral blocks. An operator is one block, so that with `monotone`
// feedback between layers is left out.
Architecture architecture_for(const Method& method, std::size_t inputs, const std::vector<Layer>& layers,
                              Recurrence recurrence);
SettleOptions settle_for(const Method& method, SettleOptions options = {});

}  // namespace irn::experiments
