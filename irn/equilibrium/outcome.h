// What became of a search for an equilibrium: a value that must be looked at, one a sample.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace irn {

//   settled     the residual |F(z) - z| is within tolerance * max(1, |z|), both in the maximum norm; a state that has only run away
//               is none: |z| counts for no more than 100 times the largest residual on its way
//   iterated    the iterations asked for were done, no more and no less (solvers `iterate` and `reversible`): the state is an answer,
//               the last iterate, and no equilibrium is claimed
//   step_limit  it still fell when the steps ran out: more steps may help
//   oscillates  it had stopped falling when the steps ran out: the dynamics cycle, wander or run away, there is no answer; or the
//               state is an equilibrium that repels, the centre of a cycle, which the flow does not reach
//   not_finite  the state left the range of numbers
enum class Outcome : std::uint8_t { settled, iterated, step_limit, oscillates, not_finite };
inline constexpr std::array<std::string_view, 5> outcome_names = {"settled", "iterated", "step_limit",
                                                                  "oscillates", "not_finite"};
constexpr std::string_view name(Outcome outcome) { return outcome_names[static_cast<std::size_t>(outcome)]; }

// Whether the state is an answer: an equilibrium, or the iterate that was asked for.
constexpr bool has_answer(Outcome outcome) {
  return outcome == Outcome::settled || outcome == Outcome::iterated;
}

// What is known of a state when its search has ended,
struct Evidence {
  bool finite = true;    // the state and its residual are numbers
  bool at_rest = false;  // the residual is within tolerance
  bool attracts = true;  // not so if the flow is known to leave this state
  bool falls = false;    // the residual still fell when the steps ran out
  bool asked_for =
      false;  // so many iterations were asked for, and these are done: the state is an answer, at rest or not
};
// and the one place where that becomes an outcome.
constexpr Outcome judged(const Evidence& evidence) {
  if (!evidence.finite) return Outcome::not_finite;
  if (evidence.at_rest) return evidence.attracts ? Outcome::settled : Outcome::oscillates;
  if (evidence.asked_for) return Outcome::iterated;
  return evidence.falls ? Outcome::step_limit : Outcome::oscillates;
}

struct Verdict {
  Outcome outcome = Outcome::step_limit;
  std::uint32_t evaluations = 0;  // of F, products with its Jacobian included
  double residual = 0;            // max_i |F(z) - z|_i of the state that is returned; infinite if not_finite
};

// Counts over a batch.
struct Summary {
  std::size_t samples = 0;
  std::array<std::size_t, outcome_names.size()> count{};
  std::uint64_t evaluations = 0;  // of all samples
  double mean_evaluations = 0;    // of one
  double max_residual_settled = 0;
  // Of both batches together, the same however samples were cut into batches.
  Summary& operator+=(const Summary& other) {
    samples += other.samples;
    evaluations += other.evaluations;
    if (samples > 0) mean_evaluations = double(evaluations) / double(samples);
    for (std::size_t k = 0; k < count.size(); ++k) count[k] += other.count[k];
    max_residual_settled = std::max(max_residual_settled, other.max_residual_settled);
    return *this;
  }
  std::size_t settled() const { return count[static_cast<std::size_t>(Outcome::settled)]; }
  std::size_t answered() const { return settled() + count[static_cast<std::size_t>(Outcome::iterated)]; }
  double settled_share() const { return samples == 0 ? 1.0 : double(settled()) / double(samples); }
};

inline Summary summarise(std::span<const Verdict> verdicts) {
  Summary s{.samples = verdicts.size()};
  for (const Verdict& v : verdicts) {
    ++s.count[static_cast<std::size_t>(v.outcome)];
    s.evaluations += v.evaluations;
    if (v.outcome == Outcome::settled && v.residual > s.max_residual_settled)
      s.max_residual_settled = v.residual;
  }
  if (!verdicts.empty()) s.mean_evaluations = double(s.evaluations) / double(verdicts.size());
  return s;
}

}  // namespace irn
