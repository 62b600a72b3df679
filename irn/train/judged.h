// Prepares a network's answers for metrics.h: as probabilities of classes, or as numbers in the units of each
// target.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "irn/data/samples.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/train/metrics.h"

namespace irn {

// A target's own unit: an output y stands for the value y * scale + mean.
struct Unit {
  double mean = 0, scale = 1;
  double of(double y) const { return y * scale + mean; }
};

struct Judged {
  std::optional<ClassJudge> classes;  // of a classification
  std::vector<NumberJudge> targets;   // else: one a target

  // For numbers, the mean over the targets. Not for Metric::loss.
  double value(Metric metric) const;
};

// `answers` are the outputs for all samples, in their order (settle_outputs); the first ones belong to the
// targets. Samples count by their weights. `units` has one unit for each target, or none if targets are used
// unscaled.
template <class T>
Judged judged(const Equilibria<T>& answers, const Samples<T>& samples, bool classes,
              std::span<const Unit> units, double threshold = 0.5);

}  // namespace irn
