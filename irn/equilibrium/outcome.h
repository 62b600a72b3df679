// The outcome of a search for an equilibrium: one verdict for each sample, which callers must look at.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace irn {

//   settled     every unknown is at rest, |F(z) - z|_i <= tolerance * max(floor, |z_i|), and the state
//               attracts, as far as `stability` says. A state that has only run away is not at rest: |z_i|
//               counts for no more than 100 times the largest residual of that unknown during the search.
//               Residuals of up to 16 roundings of the largest unknown are allowed
//   iterated    exactly the iterations asked for were done (solvers `iterate` and `reversible`): the state,
//               the last iterate, is an answer, and no equilibrium is claimed
//   slow        the residual was still falling when the steps ran out: about `more_steps` more will help
//   ran_out     the steps ran out before a trend could be seen
//   repels      an equilibrium, but not one where the flow comes to rest: a saddle, or the centre of a cycle
//   cycles      the residual no longer falls and the state stays bounded: the dynamics cycle or wander, and
//               there is no answer
//   runs_away   the state grows without end
//   not_finite  the state left the range of numbers
enum class Outcome : std::uint8_t { settled, iterated, slow, ran_out, repels, cycles, runs_away, not_finite };
inline constexpr std::array<std::string_view, 8> outcome_names = {
    "settled", "iterated", "slow", "ran_out", "repels", "cycles", "runs_away", "not_finite"};
constexpr std::string_view name(Outcome outcome) { return outcome_names[static_cast<std::size_t>(outcome)]; }

// Whether an equilibrium attracts: the flow dz/dt = F(z) - z returns to it if every eigenvalue of J - I has a
// negative real part, where J = dF/dz.
//   unasked     not examined: nobody asked (SettleOptions::confirm), the state is no equilibrium, or a
//               certificate covers all of them (network/certificate.h)
//   attracts    it does, by the powers of a Cayley transform, by an estimate, or by the eigenvalues, which
//               decide in case of doubt for networks of up to SettleOptions::decide_up_to neurons
//   undecided   the rightmost eigenvalue is too near zero to tell, or the estimate did not show it
//   repels      it does not attract
enum class Stability : std::uint8_t { unasked, attracts, undecided, repels };
inline constexpr std::array<std::string_view, 4> stability_names = {"unasked", "attracts", "undecided",
                                                                    "repels"};
constexpr std::string_view name(Stability stability) {
  return stability_names[static_cast<std::size_t>(stability)];
}

// Whether the state is an answer: an equilibrium, or the iterate that was asked for.
constexpr bool has_answer(Outcome outcome) {
  return outcome == Outcome::settled || outcome == Outcome::iterated;
}

// How the residual developed while there were steps left.
enum class Trend : std::uint8_t { unknown, falls, stays, grows };

// What is known of a state at the end of its search.
struct Evidence {
  bool finite = true;    // the state and its residual are numbers
  bool at_rest = false;  // every unknown is, within tolerance
  Stability stability = Stability::unasked;
  // A given number of iterations was asked for and done: the state is an answer, at rest or not.
  bool asked_for = false;
  Trend trend = Trend::unknown;
};
// The outcome for this evidence. This is the one place that decides it.
constexpr Outcome judged(const Evidence& evidence) {
  if (!evidence.finite) return Outcome::not_finite;
  if (evidence.at_rest) return evidence.stability == Stability::repels ? Outcome::repels : Outcome::settled;
  if (evidence.asked_for) return Outcome::iterated;
  switch (evidence.trend) {
    case Trend::falls:
      return Outcome::slow;
    case Trend::stays:
      return Outcome::cycles;
    case Trend::grows:
      return Outcome::runs_away;
    case Trend::unknown:
      break;
  }
  return Outcome::ran_out;
}

struct Verdict {
  Outcome outcome = Outcome::ran_out;
  Stability stability = Stability::unasked;
  std::uint32_t evaluations = 0;  // of F, products with its Jacobian included
  double residual = 0;            // max_i |F(z) - z|_i of the state that is returned; infinite if not_finite
  // The eigenvalue of J - I with the largest real part, if it had to be computed to decide: its real part,
  // and the absolute value of its imaginary part in radians per unit of time.
  float rate = 0, turn = 0;
  // If slow: about how many more steps would settle it if its residual keeps falling at the same rate.
  std::uint32_t more_steps = 0;
};

// Settled, but it could not be told whether the state attracts.
constexpr bool is_undecided(const Verdict& verdict) {
  return verdict.outcome == Outcome::settled && verdict.stability == Stability::undecided;
}

// Counts over a batch.
struct Summary {
  std::size_t samples = 0;
  std::array<std::size_t, outcome_names.size()> count{};
  std::uint64_t evaluations = 0;  // of all samples
  double mean_evaluations = 0;    // of one
  double max_residual_settled = 0;
  std::size_t undecided = 0;  // of the settled ones: whether they attract could not be told
  // Adds another batch. The result is the same however samples were cut into batches.
  Summary& operator+=(const Summary& other) {
    samples += other.samples;
    evaluations += other.evaluations;
    if (samples > 0) mean_evaluations = double(evaluations) / double(samples);
    for (std::size_t k = 0; k < count.size(); ++k) count[k] += other.count[k];
    max_residual_settled = std::max(max_residual_settled, other.max_residual_settled);
    undecided += other.undecided;
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
    if (v.outcome != Outcome::settled) continue;
    s.max_residual_settled = std::max(s.max_residual_settled, v.residual);
    s.undecided += v.stability == Stability::undecided;
  }
  if (!verdicts.empty()) s.mean_evaluations = double(s.evaluations) / double(verdicts.size());
  return s;
}

}  // namespace irn
