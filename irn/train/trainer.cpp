#include "irn/train/trainer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "irn/base/error.h"

namespace irn {

std::vector<Head> heads_of(const TrainOptions& options) {
  return options.heads.empty() ? std::vector<Head>{{.loss = options.loss}} : options.heads;
}

template <class T>
struct Trainer<T>::Parts {
  Parts(Network<T>& trained, const TrainOptions& chosen, ThreadPool& pool)
      : network(trained),
        options(chosen),
        threads(pool),
        heads(trained.architecture(), heads_of(chosen)),
        gradient(trained, chosen.gradient, threads),
        optimiser(chosen.optimiser, trained.parameters().size()) {
    if (heads.size() > 1 || heads[0].layer != trained.architecture().layers().size())
      throw Error(
          "training takes its slopes from the last layer; heads on others are not differentiated yet");
    if (!(options.clip >= 0)) throw Error("clip is a norm: above 0, or 0 for none");
  }

  // Slopes of the loss of every sample that counts; zero for the others.
  void losses(const Equilibria<T>& states, std::size_t target_count, StepReport& report) {
    const bool unrolled = std::holds_alternative<UnrolledGradient>(options.gradient.gradient);
    for (std::size_t s = 0; s < states.size(); ++s) {
      const double weight = double(weights[s]);
      report.mean_evaluations += double(states.verdicts[s].evaluations) / double(states.size());
      report.settled += states.settled(s);
      report.weight += weight;
      const std::span<T> slope(slopes.data() + s * heads.neurons(), heads.neurons());
      const bool has_state =
          states.settled(s) || (unrolled && states.verdicts[s].outcome != Outcome::not_finite);
      if (!has_state || weight == 0) {
        std::fill(slope.begin(), slope.end(), T(0));
        continue;
      }
      ++report.counted;
      report.counted_weight += weight;
      report.loss += weight * heads.loss_and_slopes<T>(
                                  states.state(s), {targets.data() + s * target_count, target_count}, slope);
    }
    report.loss =
        report.counted > 0 ? report.loss / report.counted_weight : std::numeric_limits<double>::quiet_NaN();
  }

  // sum w g / sum w over the samples used. A BatchGradient takes the plain mean: weights go into the slopes, and the mean is put
  // right after it.
  const GradientResult<T>& backward() {
    if (std::all_of(weights.begin(), weights.end(), [&](T w) { return w == weights[0] && w > 0; }))
      return gradient.backward(slopes);
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] *= weights[i / heads.neurons()];
    weighted = gradient.backward(slopes);
    double used_weight = 0;
    const double summed = double(std::exchange(weighted.used, 0));
    for (std::size_t s = 0; s < weights.size(); ++s) {
      const bool used =
          weighted.outcomes[s] == GradientOutcome::used || weighted.outcomes[s] == GradientOutcome::limited;
      used_weight += used ? double(weights[s]) : 0.0;
      weighted.used += used && weights[s] > 0;
    }
    for (T& slope : weighted.parameters) slope *= static_cast<T>(used_weight > 0 ? summed / used_weight : 0);
    return weighted;
  }

  void apply(const GradientResult<T>& result, StepReport& report) {
    report.used = result.used;
    for (const double products : result.products)
      report.mean_products += products / double(result.products.size());
    if (result.used == 0) return;
    std::span<const T> chosen = result.parameters;
    if (options.clip > 0) {
      clipped.assign(chosen.begin(), chosen.end());
      report.gradient_norm = clip_norm<T>(clipped, options.clip);
      chosen = clipped;
    }
    const double factor = rate_factor(options.schedule, optimiser.state().steps);
    report.applied = optimiser.step(network.parameters(), chosen, factor, &threads) == StepOutcome::applied;
    gradient.update(network);
  }

  Network<T>& network;
  TrainOptions options;
  ThreadPool& threads;
  Heads heads;
  BatchGradient<T> gradient;
  Optimiser<T> optimiser;
  std::vector<T> targets, weights, slopes, clipped;
  GradientResult<T> weighted;
};

template <class T>
Trainer<T>::Trainer(Network<T>& network, const TrainOptions& options, ThreadPool& threads)
    : parts_(std::make_unique<Parts>(network, options, threads)) {}
template <class T>
Trainer<T>::~Trainer() = default;
template <class T>
Trainer<T>::Trainer(Trainer&&) noexcept = default;

template <class T>
StepReport Trainer<T>::look(const Samples<T>& samples, std::span<const std::uint64_t> index) {
  Parts& p = *parts_;
  p.heads.check_targets(samples.targets());
  p.targets.resize(index.size() * samples.targets());
  p.slopes.resize(index.size() * p.heads.neurons());
  p.weights.resize(index.size());
  samples.targets_as_rows(index, p.targets.data());
  samples.weights(index, p.weights.data());
  check_weights<T>(index, p.weights);
  StepReport report{.samples = index.size()};
  p.losses(p.gradient.forward(samples, index), samples.targets(), report);
  return report;
}

template <class T>
void Trainer<T>::apply(StepReport& report) {
  parts_->apply(parts_->backward(), report);
}

template <class T>
StepReport Trainer<T>::step(const Samples<T>& samples, std::span<const std::uint64_t> index) {
  StepReport report = look(samples, index);
  apply(report);
  return report;
}

template <class T>
void Trainer<T>::update() {
  parts_->gradient.update(parts_->network);
}
template <class T>
const OptimiserState<T>& Trainer<T>::state() const {
  return parts_->optimiser.state();
}
template <class T>
void Trainer<T>::restore(OptimiserState<T> state) {
  parts_->optimiser.restore(std::move(state));
  update();
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace irn
