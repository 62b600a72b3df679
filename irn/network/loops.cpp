#include "irn/network/loops.h"

namespace irn {
namespace {

using Reach = std::vector<std::vector<char>>;  // [from][to]: whether there is a path of one block or more

void visit_from(const Architecture& architecture, std::size_t layer, std::vector<char>& reached) {
  std::vector<std::size_t> waiting = {layer};
  while (!waiting.empty()) {
    const std::size_t from = waiting.back();
    waiting.pop_back();
    for (const Block& b : architecture.blocks())
      if (b.from == from && !reached[b.to]) {
        reached[b.to] = 1;
        waiting.push_back(b.to);
      }
  }
}

Reach reach(const Architecture& architecture) {
  const std::size_t nodes = architecture.layers().size() + 1;
  Reach result(nodes, std::vector<char>(nodes));
  for (std::size_t layer = 1; layer < nodes; ++layer) visit_from(architecture, layer, result[layer]);
  return result;
}

}  // namespace

std::vector<Loop> loops(const Architecture& architecture) {
  const Reach way = reach(architecture);
  const std::size_t layers = architecture.layers().size();
  std::vector<Loop> found;
  std::vector<std::size_t> loop_of(layers + 1, layers);  // `layers`: none
  for (std::size_t l = 1; l <= layers; ++l) {
    if (!way[l][l]) continue;
    for (std::size_t k = 0; k < found.size() && loop_of[l] == layers; ++k)
      if (const std::size_t other = found[k].layers.front(); way[l][other] && way[other][l]) loop_of[l] = k;
    if (loop_of[l] == layers)
      loop_of[l] = found.size(), found.push_back({{}, std::vector<std::size_t>(layers + 1)});
    Loop& loop = found[loop_of[l]];
    loop.layers.push_back(l);
    loop.first[l] = loop.neurons;
    loop.neurons += architecture.layers()[l - 1].size;
  }
  for (std::size_t b = 0; b < architecture.blocks().size(); ++b) {
    const Block& block = architecture.blocks()[b];
    if (!block.from_input() && loop_of[block.from] != layers && loop_of[block.from] == loop_of[block.to])
      found[loop_of[block.to]].blocks.push_back(b);
  }
  return found;
}

}  // namespace irn
