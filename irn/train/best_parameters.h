// irn's default training: the paper's steps with clipped gradients, ending with the best parameters seen.
//
// While the weights move, an equilibrium can vanish in a fold, or the state of rest can leave its basin. Its
// samples then settle elsewhere: the loss jumps within one step, and nothing in the gradient shows the way
// back. So the parameters after the last step are no safe answer: XOR is learnt from every start, but some
// runs have lost it again by the last step (claim 2 of `irn reproduce xor`).
//
//   BestParameters<T> best;
//   for (...) {
//     StepReport report = trainer.look(samples, all);
//     best.consider(network, report);  // or, with small batches, an Evaluation now and then
//     trainer.apply(report);
//   }
//   best.put_into(network);
//
// "Best" means the least cost. The cost is the mean loss, in which a sample without an answer counts ten
// times the loss of the first network considered. That is more than a wrong answer costs. (With the loss of
// the answered samples alone, a network would look better the less it answers. In 0.1 a lost sample cost as
// much as knowing nothing; the winners were networks that had lost the hard half of the samples.) A
// CustomLoss may be negative: a lost sample then costs ten times the size of that first loss, and never less
// than the answered samples cost on average. That is little if the first loss is near zero; add a constant to
// such a loss, so that it begins well above zero.
//
// Tried on XOR and left out: undoing a step that makes the loss jump and halving the rate (descent crosses
// the same edge again; without a limit the rate goes to zero), weight decay (worse), a cosine schedule at the
// same rate (fewer falls, a higher loss), and going back to the best parameters (worse, or too little better
// to justify a rule). Restarts are not needed: every start learns.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "irn/train/evaluate.h"
#include "irn/train/trainer.h"

namespace irn {

// The paper's training with gradients clipped to norm 1. Near a fold a gradient grows without bound, and one
// such gradient in Adam's second moments stops the network for a long time. Lower limits did still better on
// XOR; 1 is the usual limit and not fitted to it.
TrainOptions default_training();

template <class T>
class BestParameters {
 public:
  BestParameters() = default;
  // Continues where first_loss(), cost() and parameters() were taken.
  BestParameters(double first_loss, double cost, std::vector<T> parameters)
      : first_loss_(first_loss), cost_(cost), parameters_(std::move(parameters)) {}

  // Keeps the parameters if they cost less than all before them, and returns whether they do. Costs can be
  // compared only if they come from the same data. Returns false if no sample has an answer or the loss is
  // not finite.
  bool consider(const NetworkOf<T>& network, const Evaluation& evaluation);
  bool consider(const NetworkOf<T>& network, const StepReport& report);

  // The same with a cost of the caller's own. A NaN is never better.
  bool consider_cost(const NetworkOf<T>& network, double cost);

  bool empty() const { return parameters_.empty(); }
  double first_loss() const { return first_loss_; }  // not a number if empty
  double cost() const { return cost_; }              // infinite if empty
  std::span<const T> parameters() const { return parameters_; }
  // Leaves the network alone if empty.
  void put_into(NetworkOf<T>& network) const;

 private:
  bool consider(const NetworkOf<T>& network, double loss, double answered, double all);  // weights of samples

  double first_loss_ = std::numeric_limits<double>::quiet_NaN();
  double cost_ = std::numeric_limits<double>::infinity();
  std::vector<T> parameters_;
};

extern template class BestParameters<float>;
extern template class BestParameters<double>;

}  // namespace irn
