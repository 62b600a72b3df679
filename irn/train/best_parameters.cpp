#include "irn/train/best_parameters.h"

#include <algorithm>
#include <cmath>

namespace irn {

TrainOptions default_training() { return {.clip = 1}; }

template <class T>
bool BestParameters<T>::consider(const NetworkOf<T>& network, double loss, double answered, double all) {
  if (answered == 0 || !std::isfinite(loss)) return false;
  if (std::isnan(first_loss_)) first_loss_ = loss;
  const double share = answered / all;
  const double lost = std::max(10 * std::abs(first_loss_), loss);  // never cheaper than an answer
  return consider_cost(network, share * loss + (1 - share) * lost);
}

template <class T>
bool BestParameters<T>::consider_cost(const NetworkOf<T>& network, double cost) {
  if (!(cost < cost_)) return false;
  cost_ = cost;
  const std::span<const T> parameters = network.parameters();
  parameters_.assign(parameters.begin(), parameters.end());
  return true;
}

template <class T>
bool BestParameters<T>::consider(const NetworkOf<T>& network, const Evaluation& evaluation) {
  return consider(network, evaluation.loss, evaluation.answered_weight, evaluation.weight);
}
template <class T>
bool BestParameters<T>::consider(const NetworkOf<T>& network, const StepReport& report) {
  return consider(network, report.loss, report.counted_weight, report.weight);
}

template <class T>
void BestParameters<T>::put_into(NetworkOf<T>& network) const {
  if (!empty()) network.set_parameters(parameters_);
}

template class BestParameters<float>;
template class BestParameters<double>;

}  // namespace irn
