#include "apps/irn/network_words.h"

#include <fmt/format.h>

#include "apps/irn/counted.h"

namespace irn::app {

std::string node_words(std::size_t node) { return node == 0 ? "the inputs" : fmt::format("layer {}", node); }

std::string_view kind(const Block& block) {
  if (block.forward()) return block.to - block.from > 1 ? "skip" : "forward";
  return block.from == block.to ? "lateral" : "feedback";
}

std::string size_words(const Layer& layer) {
  return layer.shape.none() ? std::to_string(layer.size)
                            : fmt::format("{} = {}", with_channels(layer.shape), layer.size);
}

std::vector<std::string> network_words(const Architecture& architecture) {
  std::vector<std::string> words = {counted(architecture.inputs(), "input") + " x: the columns, scaled"};
  const std::size_t layers = architecture.layers().size();
  for (std::size_t l = 1; l <= layers; ++l) {
    const auto& layer = architecture.layers()[l - 1];
    std::string sources;
    for (const Block& block : architecture.blocks())
      if (block.to == l)
        sources += fmt::format("{}{} ({}{})", sources.empty() ? "" : ", ",
                               block.from == l ? "itself" : node_words(block.from), kind(block),
                               block.dense() ? "" : ", " + to_text(block.op));
    words.push_back(fmt::format("layer {}{}: {} neuron{}, f = {}; driven by {}", l,
                                l == layers ? ", whose states are the answers" : "", size_words(layer),
                                layer.size == 1 ? "" : "s", name(layer.activation),
                                sources.empty() ? "its biases alone" : sources));
  }
  return words;
}

}  // namespace irn::app
