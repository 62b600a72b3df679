// How good answers are, in a number people know:
//   numbers   R2 = 1 - sum (y - t)^2 / sum (t - mean t)^2, the mean over the targets: 1 is perfect, 0 no better than always
//             answering the mean
//   classes   accuracy: the share of samples whose largest output is their class
// and the mean of what training lowers (loss.h). Not a number where there is nothing to judge: no samples, or, for R2, a target
// that never varies.
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
  std::size_t count = 0;

  void add(double target, double answer) {
    if (count++ == 0) origin = target;
    const double error = answer - target, off = target - origin;
    squares += error * error, absolute += std::abs(error);
    from_origin += off, about_origin += off * off;
  }
  AnswerSums& operator+=(const AnswerSums& other);  // of both together
  double r2() const;
};

class Score {
 public:
  Score(Loss loss, std::size_t targets);

  template <class T>
  void add(std::span<const T> outputs, std::span<const T> targets) {
    ++samples_;
    if (of_errors_) return add_errors(outputs, targets);
    losses_[0] += loss_and_slopes<T>(loss_, outputs, targets, {});
    if (classes_) return add_class(outputs, targets);
    add_answers(outputs, targets);
  }
  Score& operator+=(const Score& other);  // of the samples of both
  void clear();                           // no samples
  double value() const;
  double loss() const;
  std::size_t samples() const { return samples_; }

  // "R2" or "accuracy".
  static std::string_view name(const Loss& loss);

 private:
  template <class T>
  void add_answers(std::span<const T> outputs, std::span<const T> targets) {
    for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k].add(double(targets[k]), double(outputs[k]));
  }
  template <class T>
  void add_errors(std::span<const T> outputs, std::span<const T> targets) {
    const auto add_losses = [&]<class L>(const L& loss) {
      if constexpr (LossOfErrors<L>)
        for (std::size_t k = 0; k < losses_.size(); ++k)
          losses_[k] += loss.value(double(outputs[k]) - double(targets[k]));
    };
    std::visit(add_losses, std::get<NamedLoss>(loss_));
    add_answers(outputs, targets);
  }
  template <class T>
  void add_class(std::span<const T> outputs, std::span<const T> targets);

  Loss loss_;
  bool classes_, of_errors_;
  std::size_t samples_ = 0, right_ = 0;
  std::vector<double> losses_;    // sums, one a target for a loss of errors, else one
  std::vector<AnswerSums> sums_;  // one a target; none of classes
};

// The first of the largest values.
template <class T>
std::size_t largest(std::span<const T> values);

}  // namespace irn
