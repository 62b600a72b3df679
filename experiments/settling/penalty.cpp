#include "experiments/settling/penalty.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "irn/network/loops.h"

namespace irn::experiments {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The derivative of the slope of f at an equilibrium by the neuron's state.
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

}  // namespace

template <class T>
PenaltyOf<T>::PenaltyOf(const Architecture& architecture, Penalty kind)
    : architecture_(&architecture), kind_(kind), neurons_(architecture.neurons()) {
  for (const Layer& layer : architecture.layers())
    functions_.insert(functions_.end(), layer.size, layer.activation);
  for (const Loop& loop : loops(architecture))
    blocks_.insert(blocks_.end(), loop.blocks.begin(), loop.blocks.end());
}

template <class T>
void PenaltyOf<T>::start(const NetworkOf<T>& network) {
  a_.assign(neurons_ * neurons_, 0), by_a_.assign(neurons_ * neurons_, 0);
  for (const std::size_t index : blocks_) {
    const Block& b = architecture_->blocks()[index];
    for (std::size_t k = 0; k < b.parameters; ++k)
      a_[(b.row + k / b.cols) * neurons_ + b.col + k % b.cols] = double(network.parameters()[b.weights + k]);
  }
}

template <class T>
double PenaltyOf<T>::add(std::span<const T> state, double weight, std::span<T> slopes) {
  d_.resize(neurons_), by_d_.assign(neurons_, 0);
  for (std::size_t i = 0; i < neurons_; ++i) d_[i] = slope_from_value(functions_[i], double(state[i]));
  const double value = kind_ == Penalty::fold ? fold(weight) : jacobian(weight);
  for (std::size_t i = 0; i < neurons_; ++i)
    slopes[i] += static_cast<T>(by_d_[i] * slope_change(functions_[i], double(state[i])));
  return value;
}

template <class T>
double PenaltyOf<T>::jacobian(double weight) {
  const double share = weight / double(neurons_);
  double value = 0;
  for (std::size_t i = 0; i < neurons_; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < neurons_; ++j) {
      const double a = a_[i * neurons_ + j];
      squares += a * a;
      by_a_[i * neurons_ + j] += 2 * share * d_[i] * d_[i] * a;
    }
    value += share * d_[i] * d_[i] * squares;
    by_d_[i] = 2 * share * d_[i] * squares;
  }
  return value;
}

// With N = (I - D A)^-1:  d|N|^2 = 2 sum_ij H_ij d(d_i a_ij),  H = N^T N N^T.
template <class T>
double PenaltyOf<T>::fold(double weight) {
  const auto n = static_cast<Eigen::Index>(neurons_);
  const Eigen::Map<const Rows> a(a_.data(), n, n);
  const Eigen::Map<const Eigen::VectorXd> d(d_.data(), n);
  const Rows inverse = (Rows::Identity(n, n) - Rows(d.asDiagonal() * a)).partialPivLu().inverse();
  const double square = inverse.squaredNorm();
  if (!std::isfinite(square)) return 0;  // on a fold: neither side is better
  const Rows h = (2 * weight / square) * (inverse.transpose() * inverse * inverse.transpose());
  Eigen::Map<Rows>(by_a_.data(), n, n) += d.asDiagonal() * h;
  Eigen::Map<Eigen::VectorXd>(by_d_.data(), n) = (a.array() * h.array()).rowwise().sum();
  return weight * std::log(square / double(n));
}

template <class T>
void PenaltyOf<T>::add_explicit(double factor, std::span<T> gradient) const {
  for (const std::size_t index : blocks_) {
    const Block& b = architecture_->blocks()[index];
    for (std::size_t k = 0; k < b.parameters; ++k)
      gradient[b.weights + k] +=
          static_cast<T>(factor * by_a_[(b.row + k / b.cols) * neurons_ + b.col + k % b.cols]);
  }
}

template class PenaltyOf<float>;
template class PenaltyOf<double>;

}  // namespace irn::experiments
