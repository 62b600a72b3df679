// The map F of z = F(z) for one group of lanes, as the solvers see it.
//
// V is a group of lanes, one problem in each; a state is n of them. No lane's results depend on other lanes.
// There are maps of networks (network_map-inl.h) and of the caller's functions
// (equilibrium/problem_map-inl.h). Solvers are templates over the map, so that their inner loops have no
// virtual calls.
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
concept LaneMap = requires(Map map, std::span<const Placed> placed, std::span<const std::size_t> problems,
                           std::size_t first, std::size_t count, unsigned lanes, V* z, V* f, const V* at) {
  // Puts problems into lanes and sets, in these lanes only, z to their start and f = F(start).
  map.load(placed, z, f);
  // Problems first, first + 1, ... into lanes 0, 1, ...; `first` is a multiple of the number of lanes.
  map.load_group(first, count, z, f);
  // Puts problems into lanes again; the caller has kept their z and f.
  map.resume(placed);
  // The lanes with these bits are done. Their contents no longer matter.
  map.retire(lanes);
  map.apply(at, f);  // f = F(at)

  // linearise(z, f) with f = F(z) sets J = dF/dz at z for the calls below.
  map.linearise(at, at);
  // The same at the equilibria `at` of problems that are no longer in lanes: problems[0] in lane 0 and so on.
  map.linearise_at(problems, at);
  map.jacobian_times(at, f);  // f = J at
};

// For solvers that need factors, too.
template <class Map, class V>
concept FactoredMap = LaneMap<Map, V> && requires(Map map, V* z, V shift) {
  map.factor(shift);  // factors  shift I - J, with one shift for each lane
  map.solve(z);       // z = (shift I - J)^-1 z
  // Of shift I - J: 1 or -1; NaN if it has no factors.
  { map.determinant_sign() } -> std::same_as<V>;
};

IRN_LANES_END

#endif
