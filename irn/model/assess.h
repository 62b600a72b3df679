// How well a network answers for a table of samples, in the units of the table: the metrics of
// irn/train/metrics.h, and what a report shows beside them.
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
  // of a classification: a ROC curve for each class, if there are no more than ten
  std::vector<std::vector<std::pair<double, double>>> roc;

  // For a regression, the mean over the targets.
  double value(Metric metric) const;
  // R2 or the accuracy.
  double score() const { return value(targets.empty() ? Metric::accuracy : Metric::r2); }
  // All metrics that are one number, by name: "accuracy", "f1", ...; or "R2", "rms", ..., and with several
  // targets "R2" and "rms[price]", ... of each.
  NamedNumbers numbers(const Encoding& encoding) const;
};

// `Assessment::loss` is the mean of `loss` or, without one, of the loss of the task.
template <class T>
Assessment assess(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding,
                  const std::optional<Loss>& loss = {}, std::size_t most_points = 1000);

// The same with several views of each image.
template <class T>
Assessment assess_views(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding,
                        const Views& views, const std::optional<Loss>& loss = {},
                        std::size_t most_points = 1000);

// The units of the encoding's targets.
std::vector<Unit> units_of(const Encoding& encoding);

// The loss that a task is trained with, unless another is chosen.
Loss loss_of(Task task);

}  // namespace irn
