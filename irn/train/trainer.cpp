#include "irn/train/trainer.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/network/check_inputs.h"
#include "irn/train/dropout_samples.h"
#include "irn/train/on_processor.h"

namespace irn {

// The exponentials of this many samples take some microseconds, like waking a thread.
constexpr std::size_t samples_worth_a_thread = 64;

std::vector<Head> heads_of(const TrainOptions& options) {
  return options.heads.empty() ? std::vector<Head>{{.loss = options.loss}} : options.heads;
}

GradientOptions gradient_of(const TrainOptions& options) {
  GradientOptions gradient = options.gradient;
  gradient.settle.certified |= options.certify != 0;
  return gradient;
}

template <class T>
struct Trainer<T>::Inside {
  Inside(NetworkOf<T>& trained, const TrainOptions& chosen, ThreadPool& pool)
      : network(trained),
        options(chosen),
        threads(pool),
        heads(trained.architecture(), heads_of(chosen)),
        gradient(trained, with_heads(gradient_of(chosen)), threads),
        optimiser(chosen.optimiser, trained.parameters().size(),
                  chosen.normalise ? weight_rows(trained.architecture()) : std::vector<WeightRows>{}) {
    check_schedule(options.schedule);
    if (options.certify != 0 && options.pull != 0)
      throw Error("certify and pull: a network that keeps a certificate is not pulled towards it; give one");
    if (options.certify != 0 && !(options.certify > 0 && options.certify <= largest_certified_bound))
      throw Error("certify: a certificate's bound lies above 0 and at " +
                  write_value(largest_certified_bound) + " at most");
    check_dropout(options.dropout);
    check_device(options);
    // With gates m_i <= g, the loops of the neurons that stay have X <= g X (network/certificate.h).
    const double open = 1 - options.dropout;
    if (options.certify != 0) certifier.emplace(trained.architecture(), options.certify * open, open);
    if (options.pull != 0) puller.emplace(trained.architecture(), options.pull * open);
    if (!(options.clip >= 0)) throw Error("clip is a norm: above 0, or 0 for none");
  }

  // Slopes of the loss for every sample that counts; zero for the others. Losses are summed in the order of
  // samples, whichever thread computed them.
  void losses(const Equilibria<T>& states, std::size_t target_count, StepReport& report) {
    sample_losses.resize(states.size());
    const std::size_t worth_a_thread = by_caller() ? states.size() : samples_worth_a_thread;
    threads.for_ranges(states.size(), worth_a_thread, [&](std::size_t first, std::size_t count) {
      for (std::size_t s = first; s < first + count; ++s)
        sample_losses[s] = loss_and_slopes(states, target_count, s);
    });
    std::uint64_t evaluations = 0;
    for (std::size_t s = 0; s < states.size(); ++s) {
      const double weight = double(weights[s]);
      evaluations += states.verdicts[s].evaluations;
      report.settled += states.settled(s);
      report.weight += weight;
      if (!counts(states, s)) continue;
      ++report.counted;
      report.counted_weight += weight;
      report.loss += weight * sample_losses[s];
    }
    if (states.size() > 0) report.mean_evaluations = double(evaluations) / double(states.size());
    report.loss =
        report.counted > 0 ? report.loss / report.counted_weight : std::numeric_limits<double>::quiet_NaN();
  }
  // Whether a head has a caller's loss, which may not support several threads at once.
  bool by_caller() const {
    for (std::size_t h = 0; h < heads.size(); ++h)
      if (std::holds_alternative<CustomLoss>(heads[h].loss)) return true;
    return false;
  }
  bool counts(const Equilibria<T>& states, std::size_t s) const {
    return states.answered(s) && weights[s] != 0;
  }
  double loss_and_slopes(const Equilibria<T>& states, std::size_t target_count, std::size_t s) {
    const std::span<T> slope(slopes.data() + s * heads.neurons(), heads.neurons());
    if (counts(states, s))
      return heads.loss_and_slopes<T>(states.state(s), {targets.data() + s * target_count, target_count},
                                      slope);
    std::fill(slope.begin(), slope.end(), T(0));
    return 0;
  }

  // The gradient sees the layers of the heads; for the last layer alone that is the default.
  GradientOptions with_heads(GradientOptions chosen) const {
    if (!chosen.heads.empty())
      throw Error(
          "a trainer's heads are TrainOptions::heads, each with its loss; leave those of the gradient empty");
    const bool last_alone = heads.size() == 1 && heads[0].layer == network.architecture().layers().size();
    if (!last_alone) chosen.heads = heads.layers();
    return chosen;
  }

  void apply(StepReport& report) {
    const bool equal =
        std::all_of(weights.begin(), weights.end(), [&](T w) { return w == weights[0] && w > 0; });
    const StepDone done =
        gradient.advance({.forward = forward,
                          .slopes = slopes,
                          .weights = equal ? std::span<const T>() : std::span<const T>(weights),
                          .clip = options.clip,
                          .rate_factor = rate_factor(options.schedule, optimiser.state().steps)},
                         optimiser, certifier ? &*certifier : nullptr, network);
    report.used = done.used;
    report.mean_products = done.mean_products;
    report.gradient_norm = done.gradient_norm;
    report.applied = done.applied;
    if (!stays) gradient.bring_back(optimiser, network);
  }

  // Lost samples are not part of the gradient, which would never bring them back.
  void pull_back(const StepReport& report) {
    if (!puller || report.counted_weight == report.weight) return;
    gradient.bring_back(optimiser, network);
    puller->pull(network, 1 - report.counted_weight / report.weight);
    gradient.update(network);
  }

  NetworkOf<T>& network;
  TrainOptions options;
  ThreadPool& threads;
  Heads heads;
  BatchGradient<T> gradient;
  Forward<T> forward;
  OptimiserOf<T> optimiser;
  std::optional<Certifier<T>> certifier, puller;
  std::vector<T> targets, weights, slopes;
  std::vector<double> sample_losses;
  bool stays = false;  // on the device, from step to step
};

template <class T>
Trainer<T>::Trainer(NetworkOf<T>& network, const TrainOptions& options, ThreadPool& threads)
    : inside_(std::make_unique<Inside>(network, options, threads)) {}
template <class T>
Trainer<T>::~Trainer() = default;
template <class T>
Trainer<T>::Trainer(Trainer&&) noexcept = default;

template <class T>
StepReport Trainer<T>::look(const Samples<T>& samples, std::span<const std::uint64_t> index) {
  Inside& p = *inside_;
  p.heads.check_targets(samples.targets());
  p.targets.resize(index.size() * samples.targets());
  p.slopes.resize(index.size() * p.heads.neurons());
  p.weights.resize(index.size());
  samples.targets_as_rows(index, p.targets.data());
  samples.weights(index, p.weights.data());
  check_weights<T>(index, p.weights);
  p.heads.template check_classes<T>(p.targets, samples.targets(), p.weights);
  StepReport report{.samples = index.size()};
  p.gradient.forward(samples, index, p.forward);
  if (p.certifier) check_certified_gates<T>(p.forward.gates, 1 / (1 - p.options.dropout));
  p.losses(p.forward.equilibria, samples.targets(), report);
  return report;
}

template <class T>
void Trainer<T>::apply(StepReport& report) {
  inside_->apply(report);
  inside_->pull_back(report);
}

template <class T>
StepReport Trainer<T>::step(const Samples<T>& samples, std::span<const std::uint64_t> index) {
  StepReport report = look(samples, index);
  apply(report);
  return report;
}

template <class T>
void Trainer<T>::certify() {
  bring_back();
  if (!inside_->certifier) return;
  inside_->certifier->hold(inside_->network);
  update();
}
template <class T>
void Trainer<T>::certify(NetworkOf<T>& other) {
  if (inside_->certifier) inside_->certifier->hold(other);
}
template <class T>
void Trainer<T>::update() {
  inside_->gradient.update(inside_->network);
}
template <class T>
void Trainer<T>::stay_on_device() {
  inside_->stays = true;
}
template <class T>
void Trainer<T>::bring_back() const {
  inside_->gradient.bring_back(inside_->optimiser, inside_->network);
}
template <class T>
void Trainer<T>::bring_parameters() const {
  inside_->gradient.bring_parameters(inside_->network);
}
template <class T>
const OptimiserState<T>& Trainer<T>::state() const {
  bring_back();
  return inside_->optimiser.state();
}
template <class T>
std::uint64_t Trainer<T>::steps() const {
  return inside_->optimiser.state().steps;
}
template <class T>
void Trainer<T>::restore(OptimiserState<T> state) {
  inside_->optimiser.restore(std::move(state));
  update();
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace irn
