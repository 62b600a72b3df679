// What the runs of one method came to, and the words and cells that say it.
#pragma once

#include <functional>

#include "experiments/part.h"
#include "experiments/settling/method.h"
#include "experiments/statistics.h"

namespace irn::experiments {

// One entry a repeat; repeats of two methods with the same number belong together.
struct Measured {
  std::vector<double> value;  // error, or share that is right
  std::vector<double> settled, evaluations, seconds;

  void add(double measured, double settled_share, double evaluations_a_row, double seconds_a_run);
};

inline double mean(std::span<const double> values) { return estimate(values).mean; }

// "100 %" only if nothing is missing: what is left out is not rounded away.
std::string settled_text(double share);
std::string points_text(const Estimate& difference);  // of shares: "+1.2 ± 0.4 points"

// value, settled, evaluations, seconds a run.
std::vector<report::Column> measured_columns(const std::string& value);
std::vector<report::Cell> measured_cells(const Measured& m);

// One bar a method.
report::Series bars_of(const std::vector<Measured>& measured);

// a - b within repeats, in which more is better, as a verdict on "a is better": certainly so, perhaps, or not at all.
Finding better(const Estimate& difference);
// On "a costs nothing": not worse by `allowed` or more, or not certainly worse.
Finding no_worse(const Estimate& difference, double allowed);

Json json(const Estimate& e);

}  // namespace irn::experiments
