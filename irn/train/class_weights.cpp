#include "irn/train/class_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/train/score.h"

namespace irn {
namespace {

ClassTargets checked(ClassTargets targets, std::size_t all) {
  if (targets.count == 0 && targets.first < all) targets.count = all - targets.first;
  if (targets.count == 0) throw Error("class weights: at least one class is needed");
  if (targets.first > all || targets.count > all - targets.first)
    throw Error("class weights: the samples have " + std::to_string(all) + " targets, too few for " +
                std::to_string(targets.count) + " classes from target " + std::to_string(targets.first) +
                " on");
  return targets;
}

// visit(sample, class, weight) for all samples, in order.
template <class T, class Visit>
void for_each_class(const Samples<T>& samples, ClassTargets targets, const Visit& visit) {
  constexpr std::size_t most = 1024;
  std::vector<std::uint64_t> index;
  std::vector<T> rows, weights;
  for (std::size_t start = 0; start < samples.size(); start += most) {
    index.resize(std::min(most, samples.size() - start));
    std::iota(index.begin(), index.end(), std::uint64_t(start));
    rows.resize(index.size() * samples.targets()), weights.resize(index.size());
    samples.targets_as_rows(index, rows.data());
    samples.weights(index, weights.data());
    check_weights<T>(index, weights);
    for (std::size_t s = 0; s < index.size(); ++s) {
      const T* row = rows.data() + s * samples.targets() + targets.first;
      visit(start + s, largest<T>({row, targets.count}), weights[s]);
    }
  }
}

template <class T>
std::vector<T> weights_by_class(const Samples<T>& samples, const std::vector<double>& class_weights,
                                std::size_t first_target) {
  if (class_weights.empty()) throw Error("class weights: at least one class is needed");
  for (std::size_t c = 0; c < class_weights.size(); ++c)
    if (!(class_weights[c] >= 0 && std::isfinite(class_weights[c])))
      throw Error("the weight of class " + std::to_string(c) + " (counted from 0) is " +
                  write_value(class_weights[c]) + "; a weight is a finite number, zero or more");
  const ClassTargets targets = checked({first_target, class_weights.size()}, samples.targets());
  std::vector<T> weights(samples.size());
  for_each_class(samples, targets, [&](std::size_t sample, std::size_t c, T weight) {
    weights[sample] = static_cast<T>(class_weights[c] * double(weight));
  });
  return weights;
}

}  // namespace

template <class T>
std::vector<double> balanced_class_weights(const Samples<T>& samples, ClassTargets targets) {
  targets = checked(targets, samples.targets());
  std::vector<double> sums(targets.count);
  for_each_class(samples, targets, [&](std::size_t, std::size_t c, T weight) { sums[c] += double(weight); });
  const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
  const double present = double(sums.size()) - double(std::count(sums.begin(), sums.end(), 0.0));
  for (double& sum : sums) sum = sum == 0 ? 1 : all / (present * sum);
  return sums;
}
template std::vector<double> balanced_class_weights(const Samples<float>&, ClassTargets);
template std::vector<double> balanced_class_weights(const Samples<double>&, ClassTargets);

template <class T>
ClassWeighted<T>::ClassWeighted(const Samples<T>& samples, const std::vector<double>& class_weights,
                                std::size_t first_target)
    : WeightedSamples<T>(samples, weights_by_class(samples, class_weights, first_target)) {}

template class ClassWeighted<float>;
template class ClassWeighted<double>;

}  // namespace irn
