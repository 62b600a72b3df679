// The loops of a network: layers that reach each other, so that the output of a neuron comes back to it. They
// are the strongly connected components of the graph of layers. Only blocks within a loop can keep a network
// from settling: in an order in which no path leads back, A is block triangular, and each loop settles by
// itself once those before it have settled.
#pragma once

#include <cstddef>
#include <vector>

#include "irn/network/network.h"

namespace irn {

struct Loop {
  std::vector<std::size_t> layers;  // ascending, counted from 1
  // [layer], for all layers of the network: the offset of its neurons in the loop, if it belongs to the loop.
  std::vector<std::size_t> first;
  std::vector<std::size_t> blocks;  // indices in Architecture::blocks(), with both ends in the loop
  std::size_t neurons = 0;
};
std::vector<Loop> loops(const Architecture& architecture);

}  // namespace irn
