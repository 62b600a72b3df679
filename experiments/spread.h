// The spread of runs over many repeats: a histogram, and the tails of bad runs and of samples without an
// answer. With few repeats there is nothing to show.
#pragma once

#include "experiments/oscillator_training.h"
#include "irn/report/figure.h"
#include "irn/report/page.h"

namespace irn::experiments {

inline constexpr std::size_t many_repeats = 30;

// All repeats of one kind of run.
struct Spread {
  std::string label;
  int colour = -1;
  std::vector<double> errors;  // final test errors; NaN for a run that answered nothing
  std::vector<double> lost;    // share of the test samples without an answer, after the last epoch
};
Spread spread_of(const Results& results, const OscillatorRun& run, std::size_t repeats, std::string label);

// A run is bad if its error is more than this many times the median, or if it answered nothing.
inline constexpr double bad_factor = 1.5;
std::size_t bad_runs(const Spread& spread);

// Histograms of the errors, all with the same bins.
report::Panel histogram_panel(std::string title, const std::vector<Spread>& spreads);
// (a) histograms of the errors, (b) the share of runs with a larger error.
report::Figure spread_figure(std::string name, std::string caption, const std::vector<Spread>& spreads);
report::Table spread_table(const std::string& caption, const std::vector<Spread>& spreads);

}  // namespace irn::experiments
