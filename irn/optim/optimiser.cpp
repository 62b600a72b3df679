#include "irn/optim/optimiser.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/kernels/adam.h"
#include "irn/kernels/flush_denormals.h"

namespace irn {
namespace {

void require(bool good, std::string_view name, std::string_view what, double value) {
  if (!good) throw Error(std::string(name) + ": " + std::string(what) + ", not " + write_value(value));
}

// A bound far above any sensible rate that keeps rate * update within the range of float.
constexpr double largest_rate = 1e6;

template <class Options>
void check_rate(const Options& o) {
  require(o.rate > 0 && o.rate <= largest_rate, o.name, "rate must be positive and at most 1e6", o.rate);
}

template <class Options>
void check_adam(const Options& o) {
  check_rate(o);
  require(o.beta1 >= 0 && o.beta1 < 1, o.name, "beta1 must be in [0, 1)", o.beta1);
  require(o.beta2 >= 0 && o.beta2 < 1, o.name, "beta2 must be in [0, 1)", o.beta2);
  require(o.epsilon > 0 && std::isfinite(o.epsilon), o.name, "epsilon must be positive", o.epsilon);
}

void check(const Adam& o) { check_adam(o); }

void check(const AdamW& o) {
  check_adam(o);
  require(o.weight_decay >= 0, o.name, "weight-decay must be at least 0", o.weight_decay);
  require(o.rate * o.weight_decay <= 1, o.name, "rate times weight-decay must be at most 1",
          o.rate * o.weight_decay);
}

void check(const Sgd& o) {
  check_rate(o);
  require(o.momentum >= 0 && o.momentum <= 0.9999, o.name, "momentum must be in [0, 0.9999]", o.momentum);
}

// The parameters first .. first + count - 1 of a step.
struct ParameterRange {
  std::size_t first, count;
};

// Bias correction, moved from the moments to two constants:
//   m^ / (sqrt(v^) + epsilon) = (root / (1 - b1^t)) m / (sqrt(v) + epsilon root),   root = sqrt(1 - b2^t)
template <class Options>
kernels::AdamStep adam_step(const Options& o, double decay, std::uint64_t steps, double factor) {
  const double t = static_cast<double>(steps);
  const double root = std::sqrt(1 - std::pow(o.beta2, t)), rate = o.rate * factor;
  return {o.beta1, o.beta2, rate * root / (1 - std::pow(o.beta1, t)), o.epsilon * root, 1 - rate * decay};
}

// The rule of step number `steps`, counted from 1.
StepRule rule_of(const Adam& o, std::uint64_t steps, double factor) { return adam_step(o, 0, steps, factor); }
StepRule rule_of(const AdamW& o, std::uint64_t steps, double factor) {
  return adam_step(o, o.weight_decay, steps, factor);
}
StepRule rule_of(const Sgd& o, std::uint64_t, double factor) {
  return kernels::MomentumStep{o.momentum, o.rate * factor, o.nesterov};
}

template <class T>
bool apply(const kernels::AdamStep& step, OptimiserState<T>& state, std::span<const T> g, T* p,
           ParameterRange r) {
  return kernels::adam(step, g.subspan(r.first, r.count), p + r.first, state.first.data() + r.first,
                       state.second.data() + r.first);
}
template <class T>
bool apply(const kernels::MomentumStep& step, OptimiserState<T>& state, std::span<const T> g, T* p,
           ParameterRange r) {
  return kernels::momentum(step, g.subspan(r.first, r.count), p + r.first, state.first.data() + r.first);
}

// Calls body(range) for the ranges that make up the parameters, all of them; returns whether all calls
// returned true.
template <class F>
bool for_all_ranges(ThreadPool* threads, std::size_t size, const F& body) {
  std::atomic<bool> all = true;
  for_ranges(threads, size, numbers_worth_a_thread, [&](std::size_t first, std::size_t count) {
    const kernels::FlushDenormals flush;
    if (!body(ParameterRange{first, count})) all = false;
  });
  return all;
}

// An epsilon that is zero in T would divide 0 by 0 where a gradient has always been zero. The first step
// scales it by sqrt(1 - beta2).
template <class T>
void check_epsilon(const OptimiserOptions& options) {
  std::visit(
      [](const auto& o) {
        if constexpr (requires { o.epsilon, o.beta2; })
          require(static_cast<T>(o.epsilon * std::sqrt(1 - o.beta2)) > 0, o.name,
                  "epsilon * sqrt(1 - beta2) must not vanish in the precision used", o.epsilon);
      },
      options);
}

template <class T>
void check_moments(const std::vector<T>& moments, std::size_t size, T least) {
  if (moments.size() != size)
    throw Error("optimiser state: " + std::to_string(moments.size()) + " moments for " +
                std::to_string(size) + " parameters; the state belongs to another network or optimiser");
  for (const T value : moments)
    if (!(std::isfinite(value) && value >= least))
      throw Error("optimiser state: a moment is " + write_value(value));
}

}  // namespace

template <>
OptimiserOptions from_text<OptimiserOptions>(std::string_view text) {
  OptimiserOptions options = parse_choice<OptimiserOptions>(text, "optimiser");
  std::visit([](const auto& o) { check(o); }, options);
  return options;
}

std::string to_text(const OptimiserOptions& options) { return to_text<>(options); }

template <class T>
OptimiserOf<T>::OptimiserOf(const OptimiserOptions& options, std::size_t parameters,
                            std::vector<WeightRows> normalised)
    : options_(options) {
  std::visit([](const auto& o) { check(o); }, options_);
  check_epsilon<T>(options_);
  if (!normalised.empty()) parameters += normalised_.emplace(std::move(normalised), parameters).lengths();
  state_.first.assign(parameters, T{0});
  if (std::visit([](const auto& o) { return o.moments; }, options_) > 1)
    state_.second.assign(parameters, T{0});
}

template <class T>
std::uint64_t OptimiserOf<T>::new_revision() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

template <class T>
void OptimiserOf<T>::check_step(std::size_t parameters, double rate_factor) const {
  const std::size_t expected = state_.first.size() - (normalised_ ? normalised_->lengths() : 0);
  if (parameters != expected)
    throw Error("optimiser for " + std::to_string(expected) + " parameters was given " +
                std::to_string(parameters));
  if (!(rate_factor >= 0 && rate_factor <= 1e6))
    throw Error("optimiser: rate factor " + write_value(rate_factor) + " is not in [0, 1e6]");
}

template <class T>
StepRule OptimiserOf<T>::rule(double rate_factor) const {
  return std::visit([&](const auto& o) { return rule_of(o, state_.steps + 1, rate_factor); }, options_);
}
template <class T>
StepRule OptimiserOf<T>::next_step(std::size_t parameters, double rate_factor) const {
  check_step(parameters, rate_factor);
  if (normalised_) throw Error("optimiser: normalised weights are learnt by the processor; take device cpu");
  return rule(rate_factor);
}

template <class T>
StepOutcome OptimiserOf<T>::step(std::span<T> parameters, std::span<const T> gradient, double rate_factor,
                                 ThreadPool* threads) {
  check_step(parameters.size(), rate_factor);
  if (gradient.size() != parameters.size())
    throw Error("optimiser: " + std::to_string(parameters.size()) + " parameters were given a gradient of " +
                std::to_string(gradient.size()));
  if (!normalised_) return step_as_learnt(parameters, gradient, rate_factor, threads);
  normalised_->split(parameters, gradient);
  const StepOutcome outcome =
      step_as_learnt(normalised_->learnt(), normalised_->gradient(), rate_factor, threads);
  if (outcome == StepOutcome::gradient_not_finite) return outcome;
  return normalised_->join(parameters) ? outcome : StepOutcome::parameter_overflow;
}

template <class T>
StepOutcome OptimiserOf<T>::step_as_learnt(std::span<T> parameters, std::span<const T> gradient,
                                           double rate_factor, ThreadPool* threads) {
  const std::size_t size = parameters.size();
  const auto is_usable = [&](ParameterRange r) {
    return kernels::squares_are_finite(gradient.subspan(r.first, r.count));
  };
  if (!for_all_ranges(threads, size, is_usable)) return StepOutcome::gradient_not_finite;
  const StepRule next = rule(rate_factor);
  ++state_.steps, revision_ = new_revision();
  const bool finite = for_all_ranges(threads, size, [&](ParameterRange r) {
    return std::visit([&](const auto& step) { return apply(step, state_, gradient, parameters.data(), r); },
                      next);
  });
  return finite ? StepOutcome::applied : StepOutcome::parameter_overflow;
}

template <class T>
void OptimiserOf<T>::restore(OptimiserState<T> state) {
  check_moments(state.first, state_.first.size(), std::numeric_limits<T>::lowest());
  check_moments(state.second, state_.second.size(), T{0});
  state_ = std::move(state);
  revision_ = new_revision();
}

// Eight partial sums in a fixed order: the same bits everywhere, and no chain of a thousand dependent
// additions.
template <class T>
double clip_norm(std::span<T> gradient, double largest) {
  if (!(largest > 0)) throw Error("clipping needs a positive norm, not " + write_value(largest));
  std::array<double, 8> sum{};
  std::size_t i = 0;
  for (; i + sum.size() <= gradient.size(); i += sum.size())
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += double{gradient[i + j]} * double{gradient[i + j]};
  for (; i < gradient.size(); ++i) sum[0] += double{gradient[i]} * double{gradient[i]};
  const double norm =
      std::sqrt(((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
  if (!(norm > largest) || !std::isfinite(norm)) return norm;
  const T scale = static_cast<T>(largest / norm);
  for (T& g : gradient) g *= scale;
  return norm;
}

template class OptimiserOf<float>;
template class OptimiserOf<double>;
template double clip_norm(std::span<float>, double);
template double clip_norm(std::span<double>, double);

}  // namespace irn
