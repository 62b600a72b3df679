// How well a network answers for a table of samples, in the units of the table: the metrics of irn/train/metrics.h, which says what each of them
// means and what a sample without an answer counts, and what a report shows beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "irn/data/encoding.h"
#include "irn/train/evaluate.h"
#include "irn/train/judged.h"
#include "irn/train/views.h"

namespace irn {

struct AnswerPoint {
  double target = 0, answer = 0;
};

struct Assessment {
  double loss = 0;  // over the samples that have an answer; not a number if none has
  Summary summary;
  std::vector<TargetScores> targets;             // of a regression, one a target column
  std::vector<std::vector<AnswerPoint>> points;  // likewise: some of the samples, spread evenly, for a plot
  Classification classes;                        // of a classification
  std::vector<std::vector<std::pair<double, double>>>
      roc;  // likewise, a curve a class, of no more than ten classes

  // Of a regression the mean over the targets.
  double value(Metric metric) const;
  // R2 or the accuracy.
  double score() const { return value(targets.empty() ? Metric::accuracy : Metric::r2); }
  // All that is one number, by its name: "accuracy", "f1", ...; "R2", and, where there are several targets, "rms[price]" of each.
  NamedNumbers numbers(const Encoding& encoding) const;
};

// `loss` is what `Assessment::loss` is the mean of; that of the task if there is none.
template <class T>
Assessment assess(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding,
                  const std::optional<Loss>& loss = {}, std::size_t most_points = 1000);

// The same by several views of each image.
template <class T>
Assessment assess_views(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding,
                        const Views& views, const std::optional<Loss>& loss = {},
                        std::size_t most_points = 1000);

// The units of the encoding's targets.
std::vector<Unit> units_of(const Encoding& encoding);

// The loss that a task is trained with, unless another is chosen.
Loss loss_of(Task task);

}  // namespace irn
