#include "experiments/settling/held_trainer.h"

#include <algorithm>

#include "experiments/settling/monotone_operator.h"
#include "experiments/settling/row_bounds.h"
#include "irn/network/certificate.h"

namespace irn::experiments {

template <class T>
TrainOptions HeldTrainer<T>::with_method(TrainOptions options) const {
  options.gradient.gradient = method_->gradient;
  options.gradient.settle = settle_for(*method_, options.gradient.settle);
  if (method_->recurrent && method_->hold == Hold::symmetric && !method_->certified_apart())
    options.certify = method_->bound;
  options.pull = method_->pull;
  return options;
}

template <class T>
HeldTrainer<T>::HeldTrainer(NetworkOf<T>& network, TrainOptions options, const Method& method,
                            ThreadPool& threads)
    : network_(&network), method_(&method), mean_(network) {
  if (method.hold == Hold::monotone) start_monotone(network, method.bound);
  const TrainOptions chosen = with_method(std::move(options));
  if (method.penalty != Penalty::none)
    penalised_.emplace(network, chosen, method.penalty, method.strength, threads);
  else
    trainer_.emplace(network, chosen, threads);
  if (method.certified_apart()) certifier_.emplace(network.architecture(), method.bound, method.weights);
  if (method.loop_rate == 1) return;
  for (const Loop& loop : loops(network.architecture()))
    for (const std::size_t index : loop.blocks) {
      const Block& b = network.architecture().blocks()[index];
      for (std::size_t k = 0; k < b.parameters; ++k) loop_parameters_.push_back(b.weights + k);
    }
}

template <class T>
StepReport HeldTrainer<T>::look(const Samples<T>& samples, std::span<const std::uint64_t> index) {
  if (penalised_) return penalised_->look(samples, index);
  samples_ = &samples;
  index_.assign(index.begin(), index.end());
  return trainer_->look(samples, index);
}

template <class T>
void HeldTrainer<T>::apply(StepReport& report) {
  if (penalised_) return penalised_->apply(report);
  before_.assign(network_->parameters().begin(), network_->parameters().end());
  trainer_->apply(report);
  ++steps_;
  bool changed = !loop_parameters_.empty();
  lengthen_loops();
  if (certifier_) changed |= certifier_->after_step(*network_, steps_);
  if (method_->hold == Hold::rows) changed |= bound_rows(*network_, method_->bound);
  if (changed) trainer_->update();
  if (method_->shortened) shorten_step(report);
  if (method_->averaging > 0) average();
}

template <class T>
void HeldTrainer<T>::lengthen_loops() {
  for (const std::size_t k : loop_parameters_) {
    T& p = network_->parameters()[k];
    p = static_cast<T>(double(before_[k]) + method_->loop_rate * (double(p) - double(before_[k])));
  }
}

template <class T>
void HeldTrainer<T>::shorten_step(const StepReport& report) {
  constexpr int halvings = 4;
  for (int k = 0; k <= halvings && trainer_->look(*samples_, index_).settled < report.settled; ++k) {
    const double kept = k < halvings ? 0.5 : 0;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      T& p = network_->parameters()[i];
      p = static_cast<T>(double(before_[i]) + kept * (double(p) - double(before_[i])));
    }
    trainer_->update();
  }
}

template <class T>
void HeldTrainer<T>::average() {
  // The mean of the first steps weighs them equally; later, the last steps count most.
  const double kept = std::min(method_->averaging, 1 - 1 / double(steps_));
  for (std::size_t i = 0; i < mean_.parameters().size(); ++i) {
    T& mean = mean_.parameters()[i];
    mean = static_cast<T>(kept * double(mean) + (1 - kept) * double(network_->parameters()[i]));
  }
}

template <class T>
const NetworkOf<T>& HeldTrainer<T>::answering() {
  if (trainer_) trainer_->certify();
  if (certifier_ && certifier_->hold(*network_)) trainer_->update();
  return method_->averaging > 0 && steps_ > 0 ? mean_ : *network_;
}

template <class T>
bool HeldTrainer<T>::is_certified() const {
  return certifier_ ? certifier_->is_certified(*network_) : irn::is_certified(*network_);
}

template class HeldTrainer<float>;
template class HeldTrainer<double>;

}  // namespace irn::experiments
