#include "experiments/settling/penalised_trainer.h"

#include <algorithm>
#include <limits>

#include "irn/network/loops.h"

namespace irn::experiments {
namespace {

// How the slope of f at an equilibrium changes with the neuron's answer.
double slope_change(Activation f, double value) {
  switch (f) {
    case Activation::sigmoid:
      return 1 - 2 * value;
    case Activation::tanh:
      return -2 * value;
    case Activation::softplus:
      return 1 - slope_from_value(f, value);
    case Activation::relu:
    case Activation::identity:
      return 0;
  }
  return 0;
}

// The loss sees every neuron: the penalty is about all of them.
GradientOptions of_all_layers(GradientOptions options, const Architecture& architecture) {
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l) options.heads.push_back(l);
  return options;
}

}  // namespace

template <class T>
PenalisedTrainer<T>::PenalisedTrainer(NetworkOf<T>& network, const TrainOptions& options, double strength,
                                      ThreadPool& threads)
    : network_(&network),
      options_(options),
      strength_(strength),
      gradient_(network, of_all_layers(options.gradient, network.architecture()), threads),
      optimiser_(options.optimiser, network.parameters().size()) {
  for (const Layer& layer : network.architecture().layers())
    functions_.insert(functions_.end(), layer.size, layer.activation);
  for (const Loop& loop : loops(network.architecture()))
    blocks_.insert(blocks_.end(), loop.blocks.begin(), loop.blocks.end());
}

template <class T>
void PenalisedTrainer<T>::add_sample(std::span<const T> state, std::span<const T> targets,
                                     std::span<T> slopes, StepReport& report) {
  const std::size_t first = network_->architecture().first_output();
  const double loss = loss_and_slopes<T>(options_.loss, state.subspan(first), targets, slopes.subspan(first));
  const double share = unit_ * strength_ / double(state.size());
  double penalty = 0;
  for (std::size_t i = 0; i < state.size(); ++i) {
    const double d = slope_from_value(functions_[i], double(state[i]));
    penalty += share * d * d * row_squares_[i];
    slope_squares_[i] += d * d;
    slopes[i] +=
        static_cast<T>(2 * share * d * slope_change(functions_[i], double(state[i])) * row_squares_[i]);
  }
  report.loss += loss, penalised_loss_ += loss + penalty;
  ++report.counted;
}

template <class T>
StepReport PenalisedTrainer<T>::look(const Samples<T>& samples, std::span<const std::uint64_t> index) {
  const Architecture& architecture = network_->architecture();
  const std::size_t n = architecture.neurons(), m = samples.targets();
  row_squares_.assign(n, 0), slope_squares_.assign(n, 0);
  for (const std::size_t index_of_block : blocks_) {
    const Block& b = architecture.blocks()[index_of_block];
    for (std::size_t k = 0; k < b.parameters; ++k) {
      const double a = double(network_->parameters()[b.weights + k]);
      row_squares_[b.row + k / b.cols] += a * a;
    }
  }
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
  for (double& square : slope_squares_) square /= counted;
  if (unit_ > 0) return report;
  unit_ = report.loss;
  return look(samples, index);
}

// strength dR/da_ij = 2 strength / n (mean of d_i^2) a_ij at fixed slopes.
template <class T>
void PenalisedTrainer<T>::add_explicit_part() {
  const double share = 2 * unit_ * strength_ / double(slope_squares_.size());
  for (const std::size_t index : blocks_) {
    const Block& b = network_->architecture().blocks()[index];
    for (std::size_t k = 0; k < b.parameters; ++k)
      result_.parameters[b.weights + k] += static_cast<T>(share * slope_squares_[b.row + k / b.cols] *
                                                          double(network_->parameters()[b.weights + k]));
  }
}

template <class T>
void PenalisedTrainer<T>::apply(StepReport& report) {
  gradient_.backward(forward_, slopes_, result_);
  report.used = result_.used;
  if (report.used == 0) return;
  add_explicit_part();
  std::vector<T> chosen = result_.parameters;
  if (options_.clip > 0) report.gradient_norm = clip_norm<T>(chosen, options_.clip);
  const double factor = rate_factor(options_.schedule, optimiser_.state().steps);
  report.applied = gradient_.step(optimiser_, nullptr, *network_, chosen, factor) == StepOutcome::applied;
}

template class PenalisedTrainer<float>;
template class PenalisedTrainer<double>;

}  // namespace irn::experiments
