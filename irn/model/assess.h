// How well a network answers for a table of samples, in the units of the table.
//   regression       for each target: root mean square error, mean absolute error, R2
//   classification   the confusion matrix (row: true class, column: answer) and the accuracy
// Errors, R2 and the matrix are of the samples that have an answer, and `summary` says how many they are;
// `accuracy` counts a sample without an answer as wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "irn/data/encoding.h"
#include "irn/train/evaluate.h"

namespace irn {

struct TargetErrors {
  double rms = 0, absolute = 0, r2 = 0;
};

struct AnswerPoint {
  double target = 0, answer = 0;
};

struct Assessment {
  double loss = 0;
  Summary summary;
  std::vector<TargetErrors> targets;             // of a regression, one a target column
  std::vector<std::vector<AnswerPoint>> points;  // likewise: some of the samples, spread evenly, for a plot
  std::vector<std::uint64_t> confusion;          // of a classification, row after row
  double accuracy = 0;

  // The mean R2 of a regression, the accuracy of a classification.
  double score() const;
};

// `loss` is what `Assessment::loss` is the mean of; that of the task if there is none.
template <class T>
Assessment assess(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding,
                  const std::optional<Loss>& loss = {}, std::size_t most_points = 1000);

// The loss that a task is trained with, unless another is chosen.
Loss loss_of(Task task);

}  // namespace irn
