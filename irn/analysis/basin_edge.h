// How near the flow from its start passes to the edge of its basin, beyond which it would end somewhere else.
//
// From a state on the path, the search goes straight towards another equilibrium. That equilibrium is outside
// the basin, so the edge is crossed on the way. Bisection finds the place: the flow is followed from each
// point tried. The distance is the smallest over the equilibria given and over states of the path (the start,
// the state nearest to each equilibrium, and some in between), in the Euclidean norm. A change of the state
// by this distance is known to be enough; a smaller one in another direction may be, too.
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
  double time = 0;             // when the flow passes there
  std::vector<double> state;   // where the flow passes
  std::vector<double> beyond;  // the nearest state found from which the flow ends elsewhere
  std::size_t towards = 0;     // the equilibrium in whose direction `beyond` is
};

// For problem i, whose flow from its own start ends in equilibrium `home` of equilibria[0..]. None if there
// are no other equilibria.
std::optional<BasinEdge> basin_edge(const Problem& problem, std::size_t i,
                                    const std::vector<std::vector<double>>& equilibria, std::size_t home,
                                    const SettleOptions& settle, ThreadPool& threads);

}  // namespace irn
