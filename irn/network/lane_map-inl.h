// The map F of z = F(z) for one group of problems that lie side by side, as the solvers see it.
//
// V is a set of lanes, one a problem; a state is n of them. Nothing a lane computes depends on the others. A network
// (network_map-inl.h) and a function of the caller's (equilibrium/problem_map-inl.h) are two kinds of it. Solvers are templates over the
// map: nothing in their inner loops is looked up at run time.
#if defined(IRN_NETWORK_LANE_MAP_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_NETWORK_LANE_MAP_INL_H_
#undef IRN_NETWORK_LANE_MAP_INL_H_
#else
#define IRN_NETWORK_LANE_MAP_INL_H_
#endif

#include <concepts>
#include <cstddef>
#include <span>

#include "irn/kernels/lanes-inl.h"

IRN_LANES_BEGIN

template <class Map, class V>
concept LaneMap =
    requires(Map map, std::span<const Placed> placed, std::span<const std::size_t> problems,
             std::size_t first, std::size_t count, unsigned lanes, V* z, V* f, const V* at) {
      // Puts problems into lanes: z becomes their start and f = F(start), in these lanes only.
      map.load(placed, z, f);
      // Problems first, first + 1, ... into lanes 0, 1, ...; `first` is a multiple of the number of lanes.
      map.load_group(first, count, z, f);
      // Puts problems into lanes once more; their z and f stay with the caller.
      map.resume(placed);
      // Lanes that are done, as bits. What they hold no longer matters.
      map.retire(lanes);
      map.apply(at, f);  // f = F(at)

      // Fixes J = dF/dz at z, where F(z) = f, for the calls below.
      map.linearise(at, at);
      // The same at the equilibria `at` of problems that are no longer in the lanes, problems[0] in lane 0 and so on.
      map.linearise_at(problems, at);
      map.jacobian_times(at, f);  // f = J at
    };

// Solvers that need factors ask for these, too.
template <class Map, class V>
concept FactoredMap =
    LaneMap<Map, V> && requires(Map map, V* z, V shift) {
      map.factor(shift);  // of  shift I - J, one shift a lane
      map.solve(z);       // z = (shift I - J)^-1 z
      // Of shift I - J: 1 or -1, not a number if it has no factors.
      { map.determinant_sign() } -> std::same_as<V>;
    };

IRN_LANES_END

#endif
