#include "irn/model/assess.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "irn/train/score.h"

namespace irn {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

TargetErrors errors_of(const AnswerSums& sums) {
  if (sums.count == 0) return {nothing, nothing, nothing};
  return {std::sqrt(sums.squares / double(sums.count)), sums.absolute / double(sums.count), sums.r2()};
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

Loss loss_of(Task task) { return task == Task::classification ? Loss(CrossEntropy{}) : Loss(Squares{}); }

template <class T>
Assessment assess(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding,
                  std::size_t most_points) {
  check_targets(samples, settler.packed().architecture());
  const std::size_t width = samples.targets(), first = settler.packed().architecture().first_output();
  Score score(loss_of(encoding.task), width);
  Assessor<T> assessor(encoding, samples.size(), most_points);
  std::vector<T> wanted;
  Summary total;
  settle_in_blocks<T>(settler, samples,
                      [&](std::span<const std::uint64_t> index, const Equilibria<T>& states) {
                        wanted.resize(index.size() * width);
                        samples.targets_as_rows(index, wanted.data());
                        for (std::size_t s = 0; s < index.size(); ++s) {
                          if (!states.answered(s)) continue;
                          const std::span<const T> outputs = states.state(s).subspan(first),
                                                   target(wanted.data() + s * width, width);
                          score.add(outputs, target);
                          assessor.add(index[s], outputs, target);
                        }
                        total += states.summary();
                      });
  Assessment result = assessor.finish(total);
  result.loss = score.loss();
  return result;
}

template Assessment assess(Settler<float>&, const Samples<float>&, const Encoding&, std::size_t);
template Assessment assess(Settler<double>&, const Samples<double>&, const Encoding&, std::size_t);

}  // namespace irn
