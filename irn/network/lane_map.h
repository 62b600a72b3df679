// The map F of z = F(z) for one group of problems that lie side by side.
//
// V is a set of lanes, one a problem; a state is n of them. Nothing a lane computes depends on the others.
// Solvers see only this; a network and a function of the caller's are two kinds of it.
#pragma once

#include <cstddef>
#include <span>

#include "irn/kernels/placed.h"

namespace irn {

template <class V>
class LaneMap {
 public:
  virtual ~LaneMap() = default;
  virtual std::size_t size() const = 0;  // n

  // Puts problems into lanes: z becomes their start and f = F(start), in these lanes only.
  virtual void load(std::span<const Placed> placed, V* z, V* f) = 0;
  // Problems first, first + 1, ... into lanes 0, 1, ...; `first` is a multiple of the number of lanes.
  virtual void load_group(std::size_t first, std::size_t count, V* z, V* f) = 0;
  // Puts problems into lanes once more; their z and f stay with the caller.
  virtual void resume(std::span<const Placed> placed) = 0;
  // Lanes that are done, as bits. What they hold no longer matters.
  virtual void retire(unsigned) {}
  virtual void apply(const V* z, V* f) = 0;  // f = F(z)

  // Fixes J = dF/dz at z, where F(z) = f, for the calls below.
  virtual void linearise(const V* z, const V* f) = 0;
  // The same at the equilibria z of `count` problems that are no longer in the lanes, problem[0] in lane 0 and so on.
  virtual void linearise_at(const std::size_t* problem, std::size_t count, const V* z) = 0;
  virtual void jacobian_times(const V* v, V* out) = 0;  // out = J v
  virtual void factor(const V& shift) = 0;              // of  shift I - J, one shift a lane
  virtual void solve(V* x) = 0;                         // x = (shift I - J)^-1 x
  virtual V determinant_sign() = 0;  // of shift I - J: 1 or -1, not a number if it has no factors
};

}  // namespace irn
