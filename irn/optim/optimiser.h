// From a gradient to a change of the parameters.
//   adam    m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2,   p -= rate m^ / (sqrt(v^) + epsilon)
//           with m^ = m / (1 - b1^t), v^ = v / (1 - b2^t)   (Kingma, Ba: "Adam", 2015)
//   adamw   the same, and p -= rate weight_decay p   (Loshchilov, Hutter: "Decoupled weight decay", 2019)
//   sgd     u = momentum u + g,  p -= rate u                  (nesterov: p -= rate (momentum u + g))
// If rows of weights are normalised, a step changes their lengths and directions (normalised_weights.h).
//
// No NaN or infinity ever enters a parameter. A gradient with an entry that is not finite, or whose square is
// not, changes nothing at all, and the step reports it. How rates change over time is in schedule.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "irn/base/text_form.h"
#include "irn/base/threads.h"
#include "irn/kernels/adam.h"
#include "irn/optim/normalised_weights.h"

namespace irn {

// `moments`: how many numbers are kept for each parameter between steps (OptimiserState).
struct Adam {
  static constexpr std::string_view name = "adam";
  static constexpr std::size_t moments = 2;
  double rate = 0.01;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("rate", rate);
    visit("beta1", beta1);
    visit("beta2", beta2);
    visit("epsilon", epsilon);
  }
};

struct AdamW {
  static constexpr std::string_view name = "adamw";
  static constexpr std::size_t moments = 2;
  double rate = 0.01;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("rate", rate);
    visit("beta1", beta1);
    visit("beta2", beta2);
    visit("epsilon", epsilon);
    visit("weight-decay", weight_decay);
  }
};

struct Sgd {
  static constexpr std::string_view name = "sgd";
  static constexpr std::size_t moments = 1;
  double rate = 0.01;
  double momentum = 0.9;
  bool nesterov = false;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("rate", rate);
    visit("momentum", momentum);
    visit("nesterov", nesterov);
  }
};

// The one list of optimisers. The first is the default.
using OptimiserOptions = std::variant<Adam, AdamW, Sgd>;

// "adam:rate=0.003" and back. Throws irn::Error for unknown names and for values out of range.
template <>
OptimiserOptions from_text<OptimiserOptions>(std::string_view text);
std::string to_text(const OptimiserOptions& options);

enum class StepOutcome {
  applied,
  gradient_not_finite,  // nothing has changed
  // Applied, except to parameters that would have left the range of T; those keep their values.
  parameter_overflow,
};

// Everything that a step depends on besides parameters, gradient and options.
template <class T>
struct OptimiserState {
  std::uint64_t steps = 0;
  std::vector<T> first;   // m of Adam, u of SGD; one number more for each row of normalised weights
  std::vector<T> second;  // v of Adam, never negative; empty for optimisers with one moment
};

// What one step does to every parameter: its constants, with the bias correction and the rate of this step.
using StepRule = std::variant<kernels::AdamStep, kernels::MomentumStep>;

template <class T>
class OptimiserOf {
 public:
  // Throws irn::Error for options out of range and for an epsilon that is zero in T.
  OptimiserOf(const OptimiserOptions& options, std::size_t parameters,
              std::vector<WeightRows> normalised = {});

  // `rate_factor` multiplies the rate for this step. If there are many parameters, the threads share them;
  // the result is the same. Throws irn::Error if sizes differ from the constructor's.
  [[nodiscard]] StepOutcome step(std::span<T> parameters, std::span<const T> gradient, double rate_factor = 1,
                                 ThreadPool* threads = nullptr);

  const OptimiserOptions& options() const { return options_; }
  const OptimiserState<T>& state() const { return state_; }

  // For a device that keeps the moments and takes the steps itself. next_step() returns the step to take; it
  // throws irn::Error where step() would, and for normalised weights. count_step() records that the step was
  // taken, and state_to_fill() receives the moments from the device. revision() is a number that no other
  // moments ever had: a device that remembers a different number has stale moments.
  StepRule next_step(std::size_t parameters, double rate_factor) const;
  void count_step() { ++state_.steps; }
  OptimiserState<T>& state_to_fill() { return state_; }
  std::uint64_t revision() const { return revision_; }

  // Continues exactly where `state` was saved. Throws irn::Error if it does not fit the options or the size.
  void restore(OptimiserState<T> state);

 private:
  static std::uint64_t new_revision();
  void check_step(std::size_t parameters, double rate_factor) const;
  StepRule rule(double rate_factor) const;
  StepOutcome step_as_learnt(std::span<T> parameters, std::span<const T> gradient, double rate_factor,
                             ThreadPool* threads);

  OptimiserOptions options_;
  OptimiserState<T> state_;
  std::optional<NormalisedWeights<T>> normalised_;
  std::uint64_t revision_ = new_revision();
};

// Scales the gradient down to the norm `largest` if its norm is larger; returns its norm before that. A norm
// that is not finite is returned and nothing is scaled: step() will refuse that gradient.
template <class T>
double clip_norm(std::span<T> gradient, double largest);

}  // namespace irn
