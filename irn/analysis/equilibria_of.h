// All equilibria of one problem z = F(z), stable and unstable, as far as a search can find them.
//
//   flow       from rest, from corners and random points of a box, and from both sides of every equilibrium along its slowest mode, the flow
//              is followed to its end: finds the stable ones, and how many starts lead to each
//   deflation  Newton's method on  m(z) (F(z) - z),  m(z) = prod_k (1 / |z - z_k|^2 + 1)  over the equilibria z_k found so far, which it then
//              cannot find again (Farrell, Birkisson, Funke, SIAM J. Sci. Comput. 37 (2015) A2026), from the same starts, from
//              midpoints between equilibria and from beside them along their slowest modes: finds unstable ones, too
// Rounds of both until one finds nothing new.
//
// What it can know of its own completeness: where F maps a bounded region into itself, as networks of sigmoid and tanh neurons do, the
// indices sign det(I - J) of all equilibria sum to 1 (Brouwer's degree). If they do not, one is missing and the search goes on; if they still do not,
// `misses_some` says so. A sum of 1 is no proof that all were found: they may be missing in pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "irn/analysis/basin_edge.h"
#include "irn/analysis/stability.h"
#include "irn/base/threads.h"

namespace irn {

struct SearchOptions {
  std::size_t starts = 64;   // random ones and corners, besides the structured ones
  std::size_t rounds = 8;    // at most
  std::size_t newton = 100;  // steps of one deflated search, at most
  std::uint64_t seed = 1;
  // Where starts lie; empty: in the box of the network, and where that has no bound, or there is no network, within twice the size of what has
  // been found.
  StateBox box = {};
  std::optional<int> degree =
      {};                     // what the indices must sum to, if that is known; of bounded networks it is
  SettleOptions settle = {};  // of the flow
  std::size_t most = 200;  // equilibria: where they fill lines or planes, there are as many as one looks for
  bool edge = true;        // whether the edge of the basin is looked for (basin_edge.h)
};

struct FoundEquilibrium {
  std::vector<double> state;
  double residual = 0;  // max_i |F(z) - z|_i
  StateStability stability;
  int index = 0;           // sign det(I - J); 0 where that is singular to working accuracy
  std::size_t starts = 0;  // of the flow that ended here
  bool from_rest = false;  // the flow from the problem's own start ends here
};

struct EquilibriaOf {
  std::vector<FoundEquilibrium>
      equilibria;  // the one reached from rest first, then stable ones by their starts, then unstable
  std::size_t starts = 0, unsettled = 0;  // flows followed, and those that ended in no equilibrium
  int degree = 0;                         // the sum of the indices
  bool misses_some = false;  // the sum is not what it must be, or there are more than SearchOptions::most
  std::optional<BasinEdge> edge;  // none if nothing else was found, or rest leads nowhere

  std::size_t stable() const;
  std::size_t unstable() const { return equilibria.size() - stable(); }
  bool reached_from_rest() const { return !equilibria.empty() && equilibria.front().from_rest; }
};

// Of problem i, which starts where it says, or at zero. The same bits on any number of threads; the functions of the problem are then called
// by several at once.
EquilibriaOf equilibria_of(const Problem& problem, std::size_t i, const SearchOptions& options = {});
EquilibriaOf equilibria_of(const Problem& problem, std::size_t i, const SearchOptions& options,
                           ThreadPool& threads);
// Of a network with input x.
template <class T>
EquilibriaOf equilibria_of(const NetworkOf<T>& network, std::span<const T> x,
                           const SearchOptions& options = {});
template <class T>
EquilibriaOf equilibria_of(const NetworkOf<T>& network, std::span<const T> x, const SearchOptions& options,
                           ThreadPool& threads);

}  // namespace irn
