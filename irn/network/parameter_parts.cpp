#include "irn/network/parameter_parts.h"

namespace irn {

std::vector<ParameterPart> parameter_parts(const Architecture& architecture) {
  std::vector<ParameterPart> parts;
  for (const Block& b : architecture.blocks()) {
    std::size_t first = b.weights;
    for (const Factor& f : b.factors()) {
      if (f.parameters() == 0) continue;
      const std::string suffix = f.name.empty() ? "" : "." + f.name;
      parts.push_back({Architecture::block_name(b) + suffix, f.shape(), first, f.parameters()});
      first += f.parameters();
    }
  }
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l) {
    const std::size_t count = architecture.layers()[l - 1].biases();
    parts.push_back({"layer" + std::to_string(l) + ".bias", {count}, architecture.first_bias(l), count});
  }
  return parts;
}

}  // namespace irn
