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
       .penalty = Penalty::jacobian,
       .strength = 0.1,
       .colour = 6,
       .about =
           "the loss has |D A|^2 / n at the equilibria beside it, a tenth of the first batch's loss strong."},
      {.name = "folds",
       .label = "free, folds penalised",
       .penalty = Penalty::fold,
       .strength = 0.1,
       .about = "the same with log(|(I - D A)^-1|^2 / n), which is large near folds."},
      {.name = "pulled",
       .label = "free, lost samples pull back",
       .pull = 0.95,
       .about =
           "of what exceeds 0.95 in the symmetric part of A over its loops, a step takes out the share of "
           "its batch that has no answer."},
      {.name = "shortened",
       .label = "free, steps shortened",
       .shortened = true,
       .about = "a step after which a sample of its batch has no answer any more is halved, up to four "
                "times, and then undone."},
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
      {.name = "optimised",
       .label = "certified, 0.95, P optimised",
       .hold = Hold::symmetric,
       .bound = 0.95,
       .weights = Weights::optimised,
       .about = "P A + A^T P is bounded instead of A + A^T, with diagonal weights P that lower what exceeds "
                "the bound before it is taken out."},
      {.name = "balanced",
       .label = "certified, 0.95, P balanced",
       .hold = Hold::symmetric,
       .bound = 0.95,
       .weights = Weights::balanced,
       .about = "the same with weights that make rows and columns of A equally long."},
      {.name = "faster-2",
       .label = "certified, 0.95, loops x 2",
       .hold = Hold::symmetric,
       .bound = 0.95,
       .loop_rate = 2,
       .about = "recurrent blocks take steps twice as long as all others."},
      {.name = "faster-4",
       .label = "certified, 0.95, loops x 4",
       .hold = Hold::symmetric,
       .bound = 0.95,
       .loop_rate = 4,
       .about = "the same, four times as long."},
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
