#include "experiments/depth/networks.h"

#include <algorithm>

#include "experiments/images/image_source.h"

namespace irn::experiments {

const std::vector<Method>& depth_methods() {
  static const std::vector<Method> all = {
      {.name = "feed-forward", .label = "feed-forward", .recurrent = false, .colour = 0},
      {.name = "semi", .label = "semi-gradient", .gradient = SemiGradient{}, .colour = 1},
      {.name = "exact", .label = "exact", .colour = 2},
      {.name = "certified-semi",
       .label = "certified, semi-gradient",
       .hold = Hold::symmetric,
       .bound = 0.95,
       .gradient = SemiGradient{},
       .colour = 3},
      {.name = "certified", .label = "certified, exact", .hold = Hold::symmetric, .bound = 0.95, .colour = 4},
  };
  return all;
}

const Method& depth_method(std::string_view name) {
  return *std::find_if(depth_methods().begin(), depth_methods().end(),
                       [&](const Method& m) { return m.name == name; });
}

std::vector<std::size_t> widths_for(
    std::size_t depth, std::size_t parameters,
    const std::function<Architecture(const std::vector<std::size_t>&)>& network) {
  std::vector<std::size_t> widths(depth, 1), before = widths;
  std::size_t next = 0;
  const auto count = [&] { return network(widths).parameters(); };
  std::size_t now = count(), last = now;
  while (now < parameters) {
    before = widths, last = now;
    ++widths[next++ % depth];
    now = count();
  }
  // The last count below, or the first that is not, whichever is nearer.
  return last < parameters && parameters - last < now - parameters ? before : widths;
}

std::string widths_text(const std::vector<std::size_t>& widths) {
  std::string text;
  for (const std::size_t w : widths) text += (text.empty() ? "" : "-") + std::to_string(w);
  return text;
}

Architecture image_network(const Method& method, const std::vector<std::size_t>& hidden) {
  std::vector<Layer> layers;
  for (const std::size_t size : hidden) layers.push_back({size, Activation::relu});
  layers.push_back({image_classes, Activation::identity});
  Architecture network = architecture_for(method, image_shape.size(), layers, Recurrence::full);
  if (method.recurrent)
    network.disconnect(layers.size(), layers.size()).disconnect(layers.size(), hidden.size());
  return network;
}

}  // namespace irn::experiments
