#include "experiments/settling/method.h"

#include <algorithm>
#include <cmath>

#include "experiments/settling/monotone_operator.h"

namespace irn::experiments {

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {.name = "none", .label = "no recurrence", .recurrent = false, .colour = 0},
      {.name = "free", .label = "free", .colour = 1},
      {.name = "averaged", .label = "free, weights averaged", .averaging = 0.99},
      {.name = "penalised", .label = "free, Jacobian penalised", .penalty = 0.1, .colour = 6},
      {.name = "certified-50", .label = "certified, 0.5", .hold = Hold::symmetric, .bound = 0.5},
      {.name = "certified-80", .label = "certified, 0.8", .hold = Hold::symmetric, .bound = 0.8},
      {.name = "certified-95",
       .label = "certified, 0.95",
       .hold = Hold::symmetric,
       .bound = 0.95,
       .colour = 2},
      {.name = "semi-95",
       .label = "certified, 0.95, semi-gradient",
       .hold = Hold::symmetric,
       .bound = 0.95,
       .gradient = SemiGradient{},
       .colour = 4},
      {.name = "rows", .label = "rows bounded, 0.95", .hold = Hold::rows, .bound = 0.95, .colour = 3},
      {.name = "monotone", .label = "monotone, 0.95", .hold = Hold::monotone, .bound = 0.95, .colour = 5},
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
