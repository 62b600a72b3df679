// Answers of a network to samples, brought to what metrics.h judges: probabilities of classes, or numbers in the units of each target.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "irn/data/samples.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/train/metrics.h"

namespace irn {

// A target's own unit: y * scale + mean is what an output y stands for.
struct Unit {
  double mean = 0, scale = 1;
  double of(double y) const { return y * scale + mean; }
};

struct Judged {
  std::optional<ClassJudge> classes;  // of a classification
  std::vector<NumberJudge> targets;   // else: one a target

  // The mean over the targets, of numbers. Not of Metric::loss.
  double value(Metric metric) const;
};

// `answers` are the outputs to all samples, in their order (settle_outputs); the first of them are the targets'. Weighted as the samples are.
// Units: one a target, or none for targets as they are.
template <class T>
Judged judged(const Equilibria<T>& answers, const Samples<T>& samples, bool classes,
              std::span<const Unit> units, double threshold = 0.5);

}  // namespace irn
