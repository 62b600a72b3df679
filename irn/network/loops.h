// The loops of a network: layers that reach each other, so that what a neuron says comes back to it. They are the strongly connected
// components of the graph of layers. Only blocks within a loop can keep a network from settling: ordered so that no way leads back, the
// loops make A block triangular, and each settles by itself once those before it have.
#pragma once

#include <cstddef>
#include <vector>

#include "irn/network/network.h"

namespace irn {

struct Loop {
  std::vector<std::size_t> layers;  // ascending, counted from 1
  // [layer] of all layers: offset of the layer's neurons within the loop, if it belongs to it
  std::vector<std::size_t> first;
  std::vector<std::size_t> blocks;  // of the architecture, both ends in the loop
  std::size_t neurons = 0;
};
std::vector<Loop> loops(const Architecture& architecture);

}  // namespace irn
