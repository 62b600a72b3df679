#include "experiments/settling/penalised_trainer.h"

#include <limits>

namespace irn::experiments {
namespace {

// The loss depends on every neuron, because the penalty does.
GradientOptions of_all_layers(GradientOptions options, const Architecture& architecture) {
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l) options.heads.push_back(l);
  return options;
}

}  // namespace

template <class T>
PenalisedTrainer<T>::PenalisedTrainer(NetworkOf<T>& network, const TrainOptions& options, Penalty penalty,
                                      double strength, ThreadPool& threads)
    : network_(&network),
      options_(options),
      penalty_(network.architecture(), penalty),
      strength_(strength),
      gradient_(network, of_all_layers(options.gradient, network.architecture()), threads),
      optimiser_(options.optimiser, network.parameters().size()) {}

template <class T>
void PenalisedTrainer<T>::add_sample(std::span<const T> state, std::span<const T> targets,
                                     std::span<T> slopes, StepReport& report) {
  const std::size_t first = network_->architecture().first_output();
  const double loss = loss_and_slopes<T>(options_.loss, state.subspan(first), targets, slopes.subspan(first));
  report.loss += loss, penalised_loss_ += loss + penalty_.add(state, unit_ * strength_, slopes);
  ++report.counted;
}

template <class T>
StepReport PenalisedTrainer<T>::look(const Samples<T>& samples, std::span<const std::uint64_t> index) {
  const std::size_t n = network_->architecture().neurons(), m = samples.targets();
  penalty_.start(*network_);
  targets_.resize(index.size() * m);
  samples.targets_as_rows(index, targets_.data());
  slopes_.assign(index.size() * n, T(0));
  gradient_.forward(samples, index, forward_);
  const Equilibria<T>& states = forward_.equilibria;
  StepReport report{.samples = index.size()};
  penalised_loss_ = 0;
  for (std::size_t s = 0; s < states.size(); ++s) {
    report.mean_evaluations += double(states.verdicts[s].evaluations) / double(states.size());
    report.settled += states.settled(s);
    if (states.answered(s))
      add_sample(states.state(s), {targets_.data() + s * m, m}, {slopes_.data() + s * n, n}, report);
  }
  const double counted = double(report.counted);
  report.weight = double(report.samples), report.counted_weight = counted;
  report.loss = report.counted > 0 ? report.loss / counted : std::numeric_limits<double>::quiet_NaN();
  if (report.counted == 0) return report;
  penalised_loss_ /= counted;
  if (unit_ > 0) return report;
  unit_ = report.loss;
  return look(samples, index);
}

template <class T>
void PenalisedTrainer<T>::apply(StepReport& report) {
  gradient_.backward(forward_, slopes_, result_);
  report.used = result_.used;
  if (report.used == 0) return;
  penalty_.add_explicit(1 / double(report.counted), result_.parameters);
  std::vector<T> chosen = result_.parameters;
  if (options_.clip > 0) report.gradient_norm = clip_norm<T>(chosen, options_.clip);
  const double factor = rate_factor(options_.schedule, optimiser_.state().steps);
  report.applied = gradient_.step(optimiser_, nullptr, *network_, chosen, factor) == StepOutcome::applied;
}

template class PenalisedTrainer<float>;
template class PenalisedTrainer<double>;

}  // namespace irn::experiments
