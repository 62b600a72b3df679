// When a solution u of the adjoint equation is accepted, and what becomes of its sample.
#pragma once

#include <algorithm>
#include <limits>

#include "irn/equilibrium/tolerance.h"
#include "irn/gradient/gradient.h"

namespace irn {

// The relative residual beyond which u is not accepted as the solution.
template <class T>
constexpr T adjoint_trust = sizeof(T) == 4 ? T(1e-3) : T(1e-7);

// How accurately u is computed, relative to g: the usual accuracy at the usual tolerance, proportionally less
// at looser ones. Any closer to the rounding of float, GMRES cycles would be spent on noise.
template <class T>
T adjoint_accuracy(double tolerance) {
  constexpr double usual = sizeof(T) == 4 ? 5e-6 : 1e-12, coarsest = double(adjoint_trust<T>) / 4;
  return static_cast<T>(std::clamp(usual * tolerance / default_tolerance<T>(), usual, coarsest));
}

// What was found for one sample at its equilibrium.
struct AdjointFacts {
  double amplification = 1;  // |u| / |g|; infinite where I - D A is singular, NaN where g is not finite
  double miss = 0;           // |g + A^T D u - u| / |g|, where u was found by products
  bool finite = true;        // whether D u is
};

// A u that misses by a tenth of g still gives a direction.
inline constexpr double most_missed = 0.1;

constexpr GradientOutcome judged_adjoint(const AdjointFacts& found, OnFold on_fold,
                                         double amplification_limit, double trust) {
  if (found.amplification > std::numeric_limits<double>::max()) return GradientOutcome::fold;
  if (found.amplification != found.amplification || !found.finite) return GradientOutcome::not_finite;
  const bool near = on_fold == OnFold::keep && found.miss <= most_missed;
  if (!(found.miss <= trust || near)) return GradientOutcome::no_adjoint;
  if (found.amplification <= amplification_limit || on_fold == OnFold::keep) return GradientOutcome::used;
  return on_fold == OnFold::limit ? GradientOutcome::limited : GradientOutcome::fold;
}

// The factor on the sample's deltas: 0 if it is left out.
template <class T>
constexpr T factor_of(GradientOutcome outcome, double amplification, double amplification_limit) {
  if (outcome == GradientOutcome::used) return T(1);
  return outcome == GradientOutcome::limited ? static_cast<T>(amplification_limit / amplification) : T(0);
}

}  // namespace irn
