// All equilibria of one problem z = F(z), stable and unstable, as far as a search can find them.
//
//   flow       the flow is followed from rest, from corners and random points of a box, and from both sides
//              of every equilibrium along its slowest mode: finds the stable ones, and how many starts lead
//              to each
//   deflation  Newton's method on  m(z) (F(z) - z),  m(z) = prod_k (1 / |z - z_k|^2 + 1)  over the equilibria
//              z_k found so far, which it then cannot find again (Farrell, Birkisson, Funke, SIAM J. Sci.
//              Comput. 37 (2015) A2026). It starts from the same points, from midpoints between equilibria
//              and from points beside them along their slowest modes: finds unstable ones, too
// Rounds of both follow until one finds nothing new.
//
// The search can partly tell whether it is complete. If F maps a bounded region into itself, as in networks
// of sigmoid and tanh neurons, the indices sign det(I - J) of all equilibria sum to 1 (Brouwer's degree). If
// they do not, one is missing and the search goes on; if they still do not at the end, `misses_some` says so.
// A sum of 1 is no proof that all were found: equilibria may be missing in pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "irn/analysis/basin_edge.h"
#include "irn/analysis/stability.h"
#include "irn/base/threads.h"

namespace irn {

struct SearchOptions {
  std::size_t starts = 64;   // random points and corners, besides the other starts
  std::size_t rounds = 8;    // at most
  std::size_t newton = 100;  // of one deflated search, at most
  std::uint64_t seed = 1;
  // The region of the starts. If empty: the box of the network; without a network, or where the box has no
  // bound, twice the size of what has been found.
  StateBox box = {};
  std::optional<int> degree = {};  // the sum of the indices, if it is known; bounded networks have one
  SettleOptions settle = {};       // of the flow
  // Equilibria, at most. If they fill lines or planes, any number can be found.
  std::size_t most = 200;
  bool edge = true;  // whether to look for the edge of the basin (basin_edge.h)
};

struct FoundEquilibrium {
  std::vector<double> state;
  double residual = 0;  // max_i |F(z) - z|_i
  StateStability stability;
  int index = 0;           // sign det(I - J); 0 if it is singular to working accuracy
  std::size_t starts = 0;  // how many flows ended here
  bool from_rest = false;  // whether the flow from the problem's own start ends here
};

struct EquilibriaOf {
  std::vector<FoundEquilibrium>
      equilibria;  // first the one reached from rest, then stable ones by their starts, then unstable ones
  std::size_t starts = 0, unsettled = 0;  // flows followed, and those that reached no equilibrium
  int degree = 0;                         // the sum of the indices
  // Whether the sum is not what it must be, or there are more than SearchOptions::most.
  bool misses_some = false;
  std::optional<BasinEdge> edge;  // none if there is no other equilibrium, or rest leads nowhere

  std::size_t stable() const;
  std::size_t unstable() const { return equilibria.size() - stable(); }
  bool reached_from_rest() const { return !equilibria.empty() && equilibria.front().from_rest; }
};

// Of problem i, whose own start counts as rest. The same bits on any number of threads; several of them call
// the functions of the problem at once.
EquilibriaOf equilibria_of(const Problem& problem, std::size_t i, const SearchOptions& options = {});
EquilibriaOf equilibria_of(const Problem& problem, std::size_t i, const SearchOptions& options,
                           ThreadPool& threads);
// For a network with input x.
template <class T>
EquilibriaOf equilibria_of(const NetworkOf<T>& network, std::span<const T> x,
                           const SearchOptions& options = {});
template <class T>
EquilibriaOf equilibria_of(const NetworkOf<T>& network, std::span<const T> x, const SearchOptions& options,
                           ThreadPool& threads);

}  // namespace irn
