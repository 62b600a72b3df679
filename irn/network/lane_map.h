// The map F of z = F(z) for one group of problems that lie side by side.
//
// Every array is [n][width]: entry i of lane l stands at i * width + l. Nothing a lane computes depends on the others.
// Solvers see only this; a network and a function of the caller's are two kinds of it.
#pragma once

#include <cstddef>

namespace irn {

template <class T>
class LaneMap {
 public:
  virtual ~LaneMap() = default;
  virtual std::size_t size() const = 0;  // n

  // Puts problem `index` of the batch into `lane`: z becomes its start and f = F(start), in that lane only.
  virtual void load(std::size_t lane, std::size_t index, T* z, T* f) = 0;
  virtual void retire(std::size_t) {}         // the lane is done; what it holds no longer matters
  virtual void apply(const T* z, T* f) = 0;  // f = F(z)

  // Fixes J = dF/dz at z, where F(z) = f, for the calls below.
  virtual void linearise(const T* z, const T* f) = 0;
  virtual void jacobian_times(const T* v, T* out) = 0;             // out = J v
  virtual void factor(const T* shift) = 0;                         // of  shift I - J, one shift a lane
  virtual void solve(T* x) = 0;                                    // x = (shift I - J)^-1 x
};

}  // namespace irn
