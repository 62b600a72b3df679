#include "irn/model/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "irn/base/error.h"
#include "irn/train/metrics.h"
#include "irn/train/score.h"
#include "irn/train/softmax.h"

namespace irn {
namespace {

template <class T>
bool finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

template <class T>
Basis basis_of(Outcome outcome, Unsettled unsettled, const Encoding& encoding, std::span<const T> outputs) {
  if (has_answer(outcome)) return outcome == Outcome::settled ? Basis::settled : Basis::iterated;
  if (unsettled == Unsettled::last && finite(outputs)) return Basis::last;
  if (unsettled == Unsettled::fallback && !encoding.fallback.empty()) return Basis::fallback;
  return Basis::none;
}

void fall_back(const Encoding& encoding, Prediction& out) {
  std::vector<double>& answer = encoding.task == Task::classification ? out.probabilities : out.values;
  answer.assign(encoding.fallback.begin(), encoding.fallback.end());
  if (encoding.task == Task::classification)
    out.label = encoding.targets.front().categories[largest<double>(answer)];
}

template <class T>
void read_outputs(const Encoding& encoding, std::span<const T> outputs, Prediction& out) {
  for (std::size_t k = 0; k < out.values.size(); ++k)
    out.values[k] = encoding.targets[k].decoded(double(outputs[k]));
  if (encoding.task != Task::classification) return;
  const double total = softmax(outputs, out.probabilities.data()).total;
  for (double& share : out.probabilities) share /= total;
  const std::size_t answer = encoding.threshold == Encoding{}.threshold
                                 ? largest<T>(outputs)
                                 : answer_of(out.probabilities, encoding.threshold);
  out.label = encoding.targets.front().categories[answer];
}

}  // namespace

void check_unsettled(Unsettled unsettled, const Encoding& encoding) {
  if (unsettled == Unsettled::fallback && encoding.fallback.empty())
    throw Error(
        "the model has nothing to fall back on: an earlier irn wrote it, or a program without a table; train "
        "it anew, or take \"last\" or \"empty\" for rows that do not settle");
}

template <class T>
void decode(const Encoding& encoding, std::span<const T> outputs, const Verdict& verdict, Unsettled unsettled,
            Prediction& out) {
  const bool classes = encoding.task == Task::classification;
  const std::span<const T> used = outputs.first(encoding.target_width());
  out.verdict = verdict;
  out.basis = basis_of(verdict.outcome, unsettled, encoding, used);
  out.label = {};
  out.values.assign(classes ? 0 : used.size(), std::numeric_limits<double>::quiet_NaN());
  out.probabilities.assign(classes ? used.size() : 0, std::numeric_limits<double>::quiet_NaN());
  if (out.basis == Basis::none) return;
  out.basis == Basis::fallback ? fall_back(encoding, out) : read_outputs(encoding, used, out);
}

template void decode(const Encoding&, std::span<const float>, const Verdict&, Unsettled, Prediction&);
template void decode(const Encoding&, std::span<const double>, const Verdict&, Unsettled, Prediction&);

}  // namespace irn
