// How good answers are, in one number, without keeping the answers: the accuracy, or the mean of R2 over the
// targets, as metrics.h defines them. A sample without an answer counts as wrong. The mean loss (loss.h) over
// the samples that have an answer is computed as well. Both are weighted: a sample of weight 2 counts as two,
// one of weight 0 not at all. Both are NaN if there is nothing to judge: no samples or, for R2, a target that
// never varies.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "irn/train/loss.h"

namespace irn {

// Sums of targets, measured from the first target. Their spread then does not cancel, unless the first target
// is far off; in that case its own distance is the spread.
struct TargetSums {
  // the first target, sums of the others' distances and of their squares
  double origin = 0, from_origin = 0, about_origin = 0;
  double weight = 0;

  // `share` is above 0.
  void add(double target, double share) {
    if (weight == 0) origin = target;
    const double off = target - origin;
    weight += share, from_origin += share * off, about_origin += share * (off * off);
  }
  TargetSums& operator+=(const TargetSums& other);  // of both together
  double mean() const { return origin + from_origin / weight; }
  // sum of (t - point)^2
  double about(double point) const {
    const double off = point - origin;
    return about_origin - 2 * off * from_origin + weight * off * off;
  }
};

// Answers to one target.
struct AnswerSums {
  double squares = 0;         // of the errors
  TargetSums answered, lost;  // the targets of samples that have an answer, and of those that have none

  void add(double target, double answer, double share = 1) {
    const double error = answer - target;
    squares += share * (error * error);
    answered.add(target, share);
  }
  AnswerSums& operator+=(const AnswerSums& other);
  double r2() const;
};

class Score {
 public:
  Score(Loss loss, std::size_t targets);

  template <class T>
  void add(std::span<const T> outputs, std::span<const T> targets, double weight = 1) {
    if (weight == 0) return;
    weight_ += weight;
    if (!squared_) loss_sum_ += weight * loss_and_slopes<T>(loss_, outputs, targets, {});
    if (classes_) return add_class(outputs, targets, weight);
    for (std::size_t k = 0; k < sums_.size(); ++k)
      sums_[k].add(double(targets[k]), double(outputs[k]), weight);
  }
  // A sample without an answer.
  template <class T>
  void add_unanswered(std::span<const T> targets, double weight = 1) {
    if (weight == 0) return;
    lost_ += weight;
    for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k].lost.add(double(targets[k]), weight);
  }
  Score& operator+=(const Score& other);  // of the samples of both
  void clear();                           // no samples
  double value() const;
  double loss() const;
  double weight() const { return weight_; }  // of the samples that have an answer

  // "R2" or "accuracy".
  static std::string_view name(const Loss& loss);

 private:
  template <class T>
  void add_class(std::span<const T> outputs, std::span<const T> targets, double weight);

  Loss loss_;
  bool classes_, squared_;                                   // squares are summed for R2 anyway
  double weight_ = 0, lost_ = 0, right_ = 0, loss_sum_ = 0;  // lost: weight of the samples without an answer
  std::vector<AnswerSums> sums_;                             // one a target; none of classes
};

// The first of the largest values.
template <class T>
std::size_t largest(std::span<const T> values);

}  // namespace irn
