// What a network's answers depend on, measured in two ways that answer different questions.
//   permutation   how much worse the answers to a table get when the values of one column are dealt among the
//                 rows at random: what the column is good for. Columns with the same information cover for
//                 each other. 0, or a little below: nothing
//   sensitivity   the derivative of the answer by each input at the equilibrium, exact by the adjoint
//                 equation (irn/gradient/gradient.h): what a small change does. Given are its mean and the
//                 mean of its size over the rows. For numbers, in the units of the target for one deviation
//                 of the input; for classes, of the probability; for a unit of a text, as it is switched on
// Rows without an answer count in permutation as in metrics.h. They take no part in sensitivity, which says
// how many rows did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "irn/data/encoding.h"
#include "irn/model/assess.h"

namespace irn {

struct PermutationImportance {
  std::string column;
  std::vector<double> drops;  // of the metric, one for each repeat; larger is more important

  double mean() const;
  double deviation() const;  // over the repeats; NaN for a single one
};

// One for each column of the encoding, in its order. A pure function of its arguments, whatever the threads.
template <class T>
std::vector<PermutationImportance> permutation_importance(Settler<T>& settler, const Samples<T>& samples,
                                                          const Encoding& encoding, Metric metric,
                                                          std::size_t repeats, std::uint64_t seed);

struct Sensitivities {
  std::vector<std::string> inputs, outputs;  // units of the columns; targets, or classes
  std::vector<double> mean, size;            // [output][input]: mean of the derivative, of its absolute value
  std::size_t rows = 0, used = 0;            // all rows, and those that have a derivative
};

template <class T>
Sensitivities sensitivities(const NetworkOf<T>& network, const SettleOptions& settle,
                            const Samples<T>& samples, const Encoding& encoding, ThreadPool& threads);

}  // namespace irn
