// Which verdicts of Auto's first choice are tried again, and which of two verdicts counts.
#pragma once

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/solver.h"

namespace irn {

// Without a certificate: searches that end at a saddle, which the flow only passes by. (The centre of a cycle
// repels with a complex eigenvalue; there a cycle is the likely end.)
constexpr bool is_at_saddle(const Verdict& verdict) {
  return verdict.outcome == Outcome::repels && verdict.turn == 0;
}
// In small networks also searches that end in a cycle: their steps may have been too long to close in on an
// equilibrium that the flow spirals into, and a second search is cheap.
constexpr bool is_at_saddle_or_cycles(const Verdict& verdict) {
  return is_at_saddle(verdict) || verdict.outcome == Outcome::cycles;
}
constexpr bool (*left_by_auto(std::size_t n))(const Verdict&) {
  return n <= flow_limit ? is_at_saddle_or_cycles : is_at_saddle;
}
constexpr bool is_unsettled(const Verdict& verdict) { return verdict.outcome != Outcome::settled; }

// The second verdict comes from a search along the flow itself and replaces the first, unless that search ran
// out of steps: then the first knew more.
constexpr bool takes_second(const Verdict& second, Verdict& first) {
  const std::uint32_t evaluations = first.evaluations + second.evaluations;
  const bool takes = second.outcome != Outcome::ran_out && second.outcome != Outcome::slow;
  if (takes) first = second;
  first.evaluations = evaluations;
  return takes;
}

}  // namespace irn
