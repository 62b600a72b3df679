// Final test errors of the sweep: every repeat of every hidden size.
#pragma once

#include "experiments/oscillator_training.h"

namespace irn::experiments {

struct SizePoint {
  std::size_t hidden = 0;
  double parameters = 0;
  std::vector<double> errors;  // one for each repeat
};
std::vector<SizePoint> points_of(const Protocol& p, const Results& results, NetworkKind kind);

// The error of each repeat at a number of parameters, by linear interpolation between the repeat's own points
// in logarithms; empty outside the range of the points.
std::vector<double> errors_at(const std::vector<SizePoint>& points, double parameters);

// log(a / b) for each repeat.
std::vector<double> log_ratios(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace irn::experiments
