#include "irn/model/prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "irn/train/score.h"
#include "irn/train/softmax.h"

namespace irn {
namespace {

template <class T>
bool finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

}  // namespace

template <class T>
void decode(const Encoding& encoding, std::span<const T> outputs, const Verdict& verdict, Unsettled unsettled,
            Prediction& out) {
  const bool classes = encoding.task == Task::classification;
  const std::span<const T> used = outputs.first(encoding.target_width());
  out.verdict = verdict;
  out.label = {};
  out.values.assign(classes ? 0 : used.size(), std::numeric_limits<double>::quiet_NaN());
  out.probabilities.assign(classes ? used.size() : 0, std::numeric_limits<double>::quiet_NaN());
  if (!out.answered() && (unsettled == Unsettled::hide || !finite(used))) return;
  for (std::size_t k = 0; k < out.values.size(); ++k)
    out.values[k] = encoding.targets[k].decoded(double(used[k]));
  if (!classes) return;
  const double total = softmax(used, out.probabilities.data()).total;
  for (double& share : out.probabilities) share /= total;
  out.label = encoding.targets.front().categories[largest<T>(used)];
}

template void decode(const Encoding&, std::span<const float>, const Verdict&, Unsettled, Prediction&);
template void decode(const Encoding&, std::span<const double>, const Verdict&, Unsettled, Prediction&);

}  // namespace irn
