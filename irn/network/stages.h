// A network in three stages: the layers before all recurrent blocks, the core that these blocks span, and the
// layers behind it.
//
//   before   each layer is a plain function of the inputs and of layers before it, computed once
//   core     from the first layer that a recurrent block leads to, to the last that one comes from; its
//            equilibrium is searched
//   behind   plain functions again, computed once the core is at rest
//
// A search over the core alone finds the same equilibria with fewer products.
#pragma once

#include <optional>

#include "irn/network/architecture.h"

namespace irn {

struct Stages {
  std::size_t first_layer = 0, last_layer = 0;  // of the core, counted from 1
  bool holds(std::size_t node) const { return node >= first_layer && node <= last_layer; }
};

// Nothing if there is no recurrent block, or if the core has most of the work anyway.
std::optional<Stages> stages_of(const Architecture& architecture);

}  // namespace irn
