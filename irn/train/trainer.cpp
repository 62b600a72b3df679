#include "irn/train/trainer.h"

#include <limits>

#include "irn/base/error.h"

namespace irn {
template <class T>
struct Trainer<T>::Parts {
  Parts(Network<T>& trained, const TrainOptions& chosen, ThreadPool& pool)
      : network(trained),
        options(chosen),
        threads(pool),
        gradient(trained, chosen.gradient, threads),
        optimiser(chosen.optimiser, trained.parameters().size()) {
    if (!(options.clip >= 0)) throw Error("clip is a norm: above 0, or 0 for none");
    if (!options.gradient.heads.empty())
      throw Error("a trainer's loss is of the last layer; for other heads take BatchGradient");
  }

  // Slopes of the loss of every sample that has an answer; zero for the others, which backward() leaves out anyway.
  void losses(const Equilibria<T>& states, std::size_t target_count, StepReport& report) {
    const std::size_t outputs = network.architecture().outputs(),
                      first = network.architecture().first_output();
    for (std::size_t s = 0; s < states.size(); ++s) {
      report.mean_evaluations += double(states.verdicts[s].evaluations) / double(states.size());
      report.settled += states.settled(s);
      const std::span<T> slope(slopes.data() + s * outputs, outputs);
      std::fill(slope.begin(), slope.end(), T(0));
      if (!states.answered(s)) continue;
      ++report.counted;
      report.loss += loss_and_slopes<T>(options.loss, states.state(s).subspan(first),
                                        {targets.data() + s * target_count, target_count}, slope);
    }
    report.loss =
        report.counted > 0 ? report.loss / double(report.counted) : std::numeric_limits<double>::quiet_NaN();
  }

  void apply(StepReport& report) {
    gradient.backward(forward, slopes, result);
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
  BatchGradient<T> gradient;
  Forward<T> forward;
  GradientResult<T> result;
  Optimiser<T> optimiser;
  std::vector<T> targets, slopes, clipped;
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
  check_targets(samples, p.network.architecture());
  p.targets.resize(index.size() * samples.targets());
  p.slopes.resize(index.size() * p.network.architecture().outputs());
  samples.targets_as_rows(index, p.targets.data());
  StepReport report{.samples = index.size()};
  p.gradient.forward(samples, index, p.forward);
  p.losses(p.forward.equilibria, samples.targets(), report);
  return report;
}

template <class T>
void Trainer<T>::apply(StepReport& report) {
  parts_->apply(report);
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
