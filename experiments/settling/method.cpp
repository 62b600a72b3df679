#include "experiments/settling/method.h"

#include <algorithm>
#include <cmath>

#include "experiments/settling/monotone_operator.h"

namespace irn::experiments {

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {.name = "none",
       .label = "no recurrence",
       .recurrent = false,
       .colour = 0,
       .about = "every neuron answers at once."},
      {.name = "free", .label = "free", .colour = 1, .about = "nothing is held."},
      {.name = "averaged",
       .label = "free, weights averaged",
       .averaging = 0.99,
       .about = "a mean of the weights over about a hundred steps answers."},
      {.name = "penalised",
       .label = "free, Jacobian penalised",
       .penalty = 0.1,
       .colour = 6,
       .about =
           "the loss has |D A|^2 / n at the equilibria beside it, a tenth of the first batch's loss strong."},
      {.name = "certified-50",
       .label = "certified, 0.5",
       .hold = Hold::symmetric,
       .bound = 0.5,
       .about = "what exceeds the bound is taken out of the symmetric part of A over its loops, so that "
                "every input has one equilibrium, which the flow reaches from everywhere."},
      {.name = "certified-80",
       .label = "certified, 0.8",
       .hold = Hold::symmetric,
       .bound = 0.8,
       .about = "the same, with more room."},
      {.name = "certified-95",
       .label = "certified, 0.95",
       .hold = Hold::symmetric,
       .bound = 0.95,
       .colour = 2,
       .about = "the same, with nearly all the room there is."},
      {.name = "semi-95",
       .label = "certified, 0.95, semi-gradient",
       .hold = Hold::symmetric,
       .bound = 0.95,
       .gradient = SemiGradient{},
       .colour = 4,
       .about = "the same, and recurrent blocks carry no gradient."},
      {.name = "rows",
       .label = "rows bounded, 0.95",
       .hold = Hold::rows,
       .bound = 0.95,
       .colour = 3,
       .about = "rows of A are scaled so that the flow contracts in the maximum norm."},
      {.name = "monotone",
       .label = "monotone, 0.95",
       .hold = Hold::monotone,
       .bound = 0.95,
       .colour = 5,
       .about =
           "A = (0.95 I - P^T P + Q - Q^T) / s, the certificate's set as a parametrisation, with twice as "
           "many numbers. Its products lack the kernels of dense blocks, so that its time says little."},
  };
  return all;
}

const Method& method(std::string_view name) {
  return *std::find_if(methods().begin(), methods().end(), [&](const Method& m) { return m.name == name; });
}

Architecture architecture_for(const Method& method, std::size_t inputs, const std::vector<Layer>& layers,
                              Recurrence recurrence) {
  if (!method.recurrent) return Architecture(inputs, layers, Recurrence::none);
  Architecture architecture(inputs, layers, recurrence);
  if (method.hold != Hold::monotone) return architecture;
  const std::vector<Block> blocks = architecture.blocks();
  for (const Block& block : blocks)
    if (block.from == block.to)
      architecture.connect(block.from, block.to,
                           monotone_operator(layers[block.to - 1].activation, method.bound));
    else if (block.from > block.to)
      architecture.disconnect(block.from, block.to);
  return architecture;
}

SettleOptions settle_for(const Method& method, SettleOptions options) {
  options.certified |= method.certified();
  return options;
}

}  // namespace irn::experiments
