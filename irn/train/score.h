// How good answers are, in a number people know:
//   numbers   R2 = 1 - sum (y - t)^2 / sum (t - mean t)^2, the mean over the targets: 1 is perfect, 0 no better than always
//             answering the mean
//   classes   accuracy: the share of samples whose largest output is their class
// and the mean of what training lowers (loss.h). All are weighted: a sample of weight 2 counts as two, one of weight 0 is not
// there. Not a number where there is nothing to judge: no samples, or, for R2, a target that never varies.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "irn/train/loss.h"

namespace irn {

// Answers to one target, summed. Targets are taken from the first of them: the spread of what is left does not cancel unless that
// one lies far off, and then its own distance is the spread.
struct AnswerSums {
  double squares = 0, absolute = 0;  // of the errors
  double origin = 0, from_origin = 0,
         about_origin = 0;  // the first target, sums of the others' distances and of their squares
  double weight = 0;        // of all answers

  // `share` is above 0.
  void add(double target, double answer, double share = 1) {
    if (weight == 0) origin = target;
    weight += share;
    const double error = answer - target, off = target - origin;
    squares += share * (error * error), absolute += share * std::abs(error);
    from_origin += share * off, about_origin += share * (off * off);
  }
  AnswerSums& operator+=(const AnswerSums& other);  // of both together
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
  Score& operator+=(const Score& other);  // of the samples of both
  void clear();                           // no samples
  double value() const;
  double loss() const;
  double weight() const { return weight_; }  // of all samples

  // "R2" or "accuracy".
  static std::string_view name(const Loss& loss);

 private:
  template <class T>
  void add_class(std::span<const T> outputs, std::span<const T> targets, double weight);

  Loss loss_;
  bool classes_, squared_;  // squares are summed for R2 anyway
  double weight_ = 0, right_ = 0, loss_sum_ = 0;
  std::vector<AnswerSums> sums_;  // one a target; none of classes
};

// The first of the largest values.
template <class T>
std::size_t largest(std::span<const T> values);

}  // namespace irn
