// Decides by the eigenvalues of J - I whether an equilibrium attracts, if the quick tests of a search
// (attraction-inl.h) leave it in doubt.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/solver.h"

namespace irn {

// Eigenvalues are computed for a caller's problem of up to this many unknowns, and for networks of up to
// SettleOptions::decide_up_to neurons. The matrix of 48 unknowns takes about a millisecond, and few
// equilibria are in doubt. Above 48, a search takes only some microseconds and its test is an estimate; one
// equilibrium in thirty would then cost ten milliseconds.
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
  // Makes the verdict on a state at rest final and records the rightmost eigenvalue. It decides nothing if
  // the real part of that eigenvalue is nearer to zero than `accuracy` times the size of the matrix.
  void decide(double accuracy, Verdict& verdict);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace irn
