// The results of the runs of one method, and their words and table cells.
#pragma once

#include <functional>

#include "experiments/part.h"
#include "experiments/settling/method.h"
#include "experiments/statistics.h"

namespace irn::experiments {

// One entry for each repeat; equal repeats of two methods form a pair.
struct Measured {
  std::vector<double> value;  // error, or share of right answers
  std::vector<double> settled, evaluations, seconds;

  void add(double measured, double settled_share, double evaluations_a_row, double seconds_a_run);
};

inline double mean(std::span<const double> values) { return estimate(values).mean; }

// "100 %" only if nothing is missing: a missing row is never rounded away.
std::string settled_text(double share);
std::string points_text(const Estimate& difference);  // of shares: "+1.2 ± 0.4 points"

// value, settled, evaluations, seconds of a run.
std::vector<report::Column> measured_columns(const std::string& value);
std::vector<report::Cell> measured_cells(const Measured& m);

// One bar for each method.
report::Series bars_of(const std::vector<Measured>& measured);

// The verdict on "a is better" from a - b within repeats, in which more is better: certainly, perhaps, or
// not.
Finding better(const Estimate& difference);
// The verdict on "a costs nothing": certainly not worse by `allowed` or more, or not certainly worse.
Finding no_worse(const Estimate& difference, double allowed);

Json json(const Estimate& e);

}  // namespace irn::experiments
