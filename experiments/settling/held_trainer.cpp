#include "experiments/settling/held_trainer.h"

#include <algorithm>

#include "experiments/settling/monotone_operator.h"
#include "experiments/settling/row_bounds.h"

namespace irn::experiments {

template <class T>
TrainOptions HeldTrainer<T>::with_method(TrainOptions options, const Method& method) {
  options.gradient.gradient = method.gradient;
  options.gradient.settle = settle_for(method, options.gradient.settle);
  if (method.recurrent && method.hold == Hold::symmetric) options.certify = method.bound;
  return options;
}

template <class T>
HeldTrainer<T>::HeldTrainer(NetworkOf<T>& network, TrainOptions options, const Method& method,
                            ThreadPool& threads)
    : network_(&network), method_(&method), mean_(network) {
  if (method.hold == Hold::monotone) start_monotone(network, method.bound);
  const TrainOptions chosen = with_method(std::move(options), method);
  if (method.penalty > 0)
    penalised_.emplace(network, chosen, method.penalty, threads);
  else
    trainer_.emplace(network, chosen, threads);
}

template <class T>
StepReport HeldTrainer<T>::look(const Samples<T>& samples, std::span<const std::uint64_t> index) {
  return penalised_ ? penalised_->look(samples, index) : trainer_->look(samples, index);
}

template <class T>
void HeldTrainer<T>::apply(StepReport& report) {
  if (penalised_) return penalised_->apply(report);
  trainer_->apply(report);
  ++steps_;
  if (method_->hold == Hold::rows && bound_rows(*network_, method_->bound)) trainer_->update();
  if (method_->averaging == 0) return;
  // A mean of the first steps weighs them alike; from then on the last ones count most.
  const double kept = std::min(method_->averaging, 1 - 1 / double(steps_));
  for (std::size_t i = 0; i < mean_.parameters().size(); ++i) {
    T& mean = mean_.parameters()[i];
    mean = static_cast<T>(kept * double(mean) + (1 - kept) * double(network_->parameters()[i]));
  }
}

template <class T>
const NetworkOf<T>& HeldTrainer<T>::answering() {
  if (trainer_) trainer_->certify();
  return method_->averaging > 0 && steps_ > 0 ? mean_ : *network_;
}

template class HeldTrainer<float>;
template class HeldTrainer<double>;

}  // namespace irn::experiments
