// Keeps a network certified while it is trained (network/certificate.h). After a step of the optimiser, the
// symmetric part X of each loop is replaced by the nearest matrix that keeps to the bound,
//   X - sum_i (lambda_i - bound) v_i v_i^T   over the eigenvalues lambda_i > bound
// The change goes to those blocks of the loop whose numbers are entries of A. Blocks with other numbers (low
// rank, operators of the caller's) are scaled down instead. The optimiser's moments stay: they are means over
// the last gradients and soon forget what pushed against the bound. (Tried: taking that part out of Adam's
// first moment, too. It spreads over all entries, and where the second moment is near zero, at neurons that
// hardly ever answer, a small first moment is a giant step.)
//
// Eigenvectors cost more than a step of a small batch, so loops of more than a few neurons are checked only
// now and then (`steps_between`). Between two checks the bound may be exceeded by what those steps add;
// hold() repairs and proves this before a network is judged or saved. Nothing is remembered between calls, so
// an interrupted training continues with the same bits.
#pragma once

#include <cstdint>
#include <memory>

#include "irn/network/certificate.h"

namespace irn {

// Nearer to the limit than this share of it, rounding leaves nothing to prove.
inline constexpr double largest_certified_bound = 1 - 1e-6;

template <class T>
class Certifier {
 public:
  // hold() leaves lambda_max(X) below `limit`: 1, or less where samples multiply states (dropout). Throws irn::Error
  // unless 0 < bound <= largest_certified_bound * limit and limit <= 1, and for loops that are too large.
  Certifier(const Architecture& architecture, double bound, double limit = 1);
  ~Certifier();
  Certifier(Certifier&&) noexcept;

  // Whether after_step() has anything to do after this many steps.
  bool is_due(std::uint64_t steps) const;
  // Call it after each step of an optimiser; `steps` counts them.
  void after_step(NetworkOf<T>& network, std::uint64_t steps);
  // Takes out only a share, 0 to 1, of the excess over the bound: for uncertified networks that lose samples
  // (TrainOptions::pull).
  void pull(NetworkOf<T>& network, double share);
  // Afterwards is_certified(network) is true; with a limit below 1 also for the network with its gates.
  // Throws irn::Error if an operator of the caller's cannot be brought there.
  void hold(NetworkOf<T>& network);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

extern template class Certifier<float>;
extern template class Certifier<double>;

}  // namespace irn
