// How near the flow from its start passes to the edge of its basin, beyond which it would end somewhere else.
//
// From a state on the path one goes straight towards another equilibrium. That is not in the basin, so somewhere on the way the
// flow begins to end elsewhere: the place is found by bisection, following the flow from each point that is tried. The distance is the
// smallest over the equilibria given and over states of the path (the start, and the nearest ones to each equilibrium), in the Euclidean norm.
// So a change of the state of that size is known to be enough; a smaller one in another direction may be, too.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "irn/base/threads.h"
#include "irn/equilibrium/problem.h"

namespace irn {

struct BasinEdge {
  double from_start = 0;       // smallest distance found from the start to a state that ends elsewhere
  double from_path = 0;        // the same from any state that the flow passes; never larger
  double time = 0;             // when it passes there
  std::vector<double> state;   // where it passes
  std::vector<double> beyond;  // that nearest state from which the flow ends elsewhere
  std::size_t towards = 0;     // the equilibrium in whose direction it lies
};

// Of problem i, whose flow ends in equilibrium `home` of equilibria[0..], from its own start. None if there are no others.
std::optional<BasinEdge> basin_edge(const Problem& problem, std::size_t i,
                                    const std::vector<std::vector<double>>& equilibria, std::size_t home,
                                    const SettleOptions& settle, ThreadPool& threads);

}  // namespace irn
