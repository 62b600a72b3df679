// The pictures of irn check.
#pragma once

#include "apps/irn/check_story.h"
#include "irn/report/figure.h"

namespace irn::app {

// The eigenvalues of J - I at the samples' states, in the plane.
report::Figure eigenvalues_figure(const CheckStory& story);
// Histograms of residual, evaluations, time constants and smallest singular values.
report::Figure histograms_figure(const CheckStory& story);
// Residual and one neuron of chosen samples over time.
report::Figure paths_figure(const CheckStory& story);
// Rows drawn: this many of the most doubtful ones, and the typical one.
inline constexpr std::size_t drawn_paths = 3;
std::vector<const RowStory*> drawn_rows(const CheckStory& story);
// Equilibria over one number: stable ones solid, unstable ones dashed, folds and Hopf points named.
report::Figure vary_figure(const VaryStory& vary);
// Angles and lengths of gradients compared with the exact one.
report::Figure gradients_figure(const GradientStory& story);

}  // namespace irn::app
