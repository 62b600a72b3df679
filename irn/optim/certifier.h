// Keeps a network certified while it is trained (network/certificate.h): after a step of the optimiser, what exceeds the bound is taken out of
// the symmetric part X of each loop, its nearest point in the set of matrices that keep to it,
//   X - sum_i (lambda_i - bound) v_i v_i^T   over the eigenvalues lambda_i > bound
// and taken from the blocks that are there. Blocks with numbers that are no entries of A (low rank, the caller's own) are scaled down instead.
// The optimiser's moments stay: they are means over some last gradients and forget what pushed against the bound as soon as it ends. (Tried: to take
// that part out of Adam's first moment. It spreads over all entries, and where the second moment is near zero, at neurons that hardly ever
// answer, a small first one is a giant step.)
//
// Eigenvectors cost more than a step of a small batch, so in loops of more than a few neurons steps are checked now and then (`steps_between`); between two checks the bound may be
// exceeded by what those steps add. hold() puts that right, and proves it: before a network is judged or kept.
// Nothing is remembered between calls, so a training that was interrupted goes on to the same bits.
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

  // Whether after_step() has anything to do after so many steps.
  bool is_due(std::uint64_t steps) const;
  // After each step of an optimiser; `steps` counts them.
  void after_step(NetworkOf<T>& network, std::uint64_t steps);
  // Takes out only a share, 0 to 1, of what exceeds the bound: for networks that are free, and lose samples (TrainOptions::pull).
  void pull(NetworkOf<T>& network, double share);
  // Afterwards is_certified(network), with a limit below 1 that of its gates, too. Throws irn::Error if an operator of the caller's cannot be brought there.
  void hold(NetworkOf<T>& network);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

extern template class Certifier<float>;
extern template class Certifier<double>;

}  // namespace irn
