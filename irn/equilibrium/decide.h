// Decides by the eigenvalues of J - I whether an equilibrium attracts, where the quick tests of a search
// (attraction-inl.h) leave a doubt.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/solver.h"

namespace irn {

// Eigenvalues are computed up to this many unknowns. The matrix of a network of 48 takes about a millisecond,
// and few are in doubt. Beyond, a search takes some microseconds and has only an estimate; one in thirty
// would wait for ten milliseconds.
inline constexpr std::size_t eigenvalue_limit = dense_limit;

constexpr bool in_doubt(const Verdict& verdict) {
  return verdict.stability == Stability::undecided || verdict.stability == Stability::repels;
}

// Keeps its memory from one matrix to the next.
class EigenvalueJudge {
 public:
  explicit EigenvalueJudge(std::size_t n);
  ~EigenvalueJudge();
  EigenvalueJudge(EigenvalueJudge&&) noexcept;

  std::span<double> jacobian();  // n x n, row-major: to be filled in before decide()
  // Makes the verdict on a state at rest final, its eigenvalue included. A rightmost eigenvalue that is
  // nearer to zero than `accuracy` times the size of the matrix decides nothing.
  void decide(double accuracy, Verdict& verdict);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace irn
