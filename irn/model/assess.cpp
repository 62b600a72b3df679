#include "irn/model/assess.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "irn/train/score.h"

namespace irn {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

TargetErrors errors_of(const AnswerSums& sums) {
  if (sums.weight == 0) return {nothing, nothing, nothing};
  return {std::sqrt(sums.squares / sums.weight), sums.absolute / sums.weight, sums.r2()};
}

template <class T>
class Assessor {
 public:
  Assessor(const Encoding& encoding, std::size_t samples, std::size_t most_points)
      : encoding_(encoding),
        classes_(encoding.task == Task::classification ? encoding.target_width() : 0),
        every_(std::max<std::size_t>(1, samples / std::max<std::size_t>(1, most_points))),
        sums_(classes_ ? 0 : encoding.targets.size()) {
    result_.confusion.assign(classes_ * classes_, 0);
    result_.points.resize(sums_.size());
  }

  void add(std::uint64_t sample, std::span<const T> outputs, std::span<const T> targets) {
    if (classes_) {
      ++result_.confusion[largest<T>(targets) * classes_ + largest<T>(outputs.first(classes_))];
      return;
    }
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const AnswerPoint point{encoding_.targets[k].decoded(double(targets[k])),
                              encoding_.targets[k].decoded(double(outputs[k]))};
      sums_[k].add(point.target, point.answer);
      if (sample % every_ == 0) result_.points[k].push_back(point);
    }
  }

  Assessment finish(const Summary& summary) {
    for (const AnswerSums& sums : sums_) result_.targets.push_back(errors_of(sums));
    std::uint64_t right = 0;
    for (std::size_t k = 0; k < classes_; ++k) right += result_.confusion[k * classes_ + k];
    result_.accuracy = classes_ && summary.samples > 0 ? double(right) / double(summary.samples) : nothing;
    result_.summary = summary;
    return std::move(result_);
  }

 private:
  const Encoding& encoding_;
  std::size_t classes_, every_;
  std::vector<AnswerSums> sums_;  // in the units of each target column
  Assessment result_;
};

}  // namespace

double Assessment::score() const {
  if (targets.empty()) return accuracy;
  double sum = 0;
  for (const TargetErrors& errors : targets) sum += errors.r2;
  return sum / double(targets.size());
}

Loss loss_of(Task task) { return task == Task::classification ? Loss(CrossEntropy{}) : Loss(SquaredLoss{}); }

template <class T>
Assessment assess(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding,
                  const std::optional<Loss>& loss, std::size_t most_points) {
  Heads(settler.packed().architecture(), std::vector<Head>(1)).check_targets(samples.targets());
  Score score(loss.value_or(loss_of(encoding.task)), samples.targets());
  Assessor<T> assessor(encoding, samples.size(), most_points);
  const Equilibria<T> answers = settle_outputs(settler, samples);
  std::vector<T> wanted(samples.targets());
  for (std::uint64_t s = 0; s < samples.size(); ++s) {
    if (!answers.answered(s)) continue;
    samples.targets_as_rows({&s, 1}, wanted.data());
    score.add<T>(answers.state(s), wanted);
    assessor.add(s, answers.state(s), wanted);
  }
  Assessment result = assessor.finish(answers.summary());
  result.loss = score.loss();
  return result;
}

template Assessment assess(Settler<float>&, const Samples<float>&, const Encoding&,
                           const std::optional<Loss>&, std::size_t);
template Assessment assess(Settler<double>&, const Samples<double>&, const Encoding&,
                           const std::optional<Loss>&, std::size_t);

}  // namespace irn
