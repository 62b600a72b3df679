// The function of the parameters and of the inputs that each gradient differentiates, in plain code, and its
// central differences.
#pragma once

#include <vector>

#include "irn/base/options_text.h"
#include "irn/gradient/gradient.h"
#include "tests/support/plain_network.h"

namespace irn {

// A linear loss: the mean over samples of slopes . outputs.
struct LossCase {
  NetworkOf<double> network;
  std::vector<Eigen::VectorXd> inputs, slopes;
  std::vector<std::size_t> heads = {};  // whose neurons have slopes; empty: the last layer

  LossCase(const Architecture& architecture, std::uint64_t seed, double gain, std::size_t samples)
      : network(random_network<double>(architecture, seed, gain)) {
    for (std::size_t s = 0; s < samples; ++s) {
      inputs.push_back(as_vector<double>(random_numbers<double>(architecture.inputs(), seed + 1000 * s + 1)));
      slopes.push_back(
          as_vector<double>(random_numbers<double>(architecture.outputs(), seed + 1000 * s + 2)));
    }
  }
  template <class T>
  static std::vector<T> flat(const std::vector<Eigen::VectorXd>& rows) {
    std::vector<T> all;
    for (const auto& row : rows)
      for (const double v : row) all.push_back(static_cast<T>(v));
    return all;
  }
};

// The gradients of the list that differentiate an equilibrium, whatever finds it.
inline std::vector<Gradient> equilibrium_gradients() {
  std::vector<Gradient> all;
  for_each_choice<Gradient>([&](const auto& gradient) {
    if (!iteration_of(gradient)) all.push_back(gradient);
  });
  return all;
}

// The state that each gradient differentiates, starting from the equilibrium of the given network.
struct DifferentiatedState {
  const PlainNetwork& net;
  const Eigen::VectorXd &x, &equilibrium;

  Eigen::VectorXd operator()(const ExactGradient&) const { return net.polish(equilibrium, x); }
  Eigen::VectorXd operator()(const SemiGradient&) const { return net.sweep(equilibrium, x); }
  Eigen::VectorXd operator()(const TruncatedGradient& truncated) const {
    Eigen::VectorXd z = equilibrium;
    for (std::size_t k = 0; k < truncated.terms; ++k) z += truncated.damping * (net.map(z, x) - z);
    return z;
  }
  Eigen::VectorXd operator()(const UnrolledGradient& unrolled) const {
    Eigen::VectorXd z = Eigen::VectorXd::Zero(equilibrium.size());
    for (std::size_t k = 0; k < unrolled.steps; ++k) z = net.map(z, x);
    return z;
  }
  Eigen::VectorXd operator()(const ReversibleGradient& reversible) const {
    Eigen::VectorXd z = Eigen::VectorXd::Zero(equilibrium.size()), y = z;
    for (std::size_t k = 0; k < reversible.steps; ++k) {
      y += reversible.damping * (net.map(z, x) - y);
      z += reversible.damping * (net.map(y, x) - z);
    }
    return z;
  }
};

class PlainGradient {
 public:
  PlainGradient(const LossCase& c, const Gradient& gradient) : case_(c), gradient_(gradient) {
    const PlainNetwork net(c.network);
    for (const auto& x : c.inputs) equilibria_.push_back(net.polish(net.flow_limit(x, 0.5, 400, 1e-9), x));
  }

  // The loss of sample s with changed parameters or inputs.
  double loss(const PlainNetwork& net, std::size_t s, const Eigen::VectorXd& x) const {
    const Eigen::VectorXd z = std::visit(DifferentiatedState{net, x, equilibria_[s]}, gradient_);
    double sum = 0;
    Eigen::Index at = 0;
    for (const HeadRange& head : head_ranges(case_.network.architecture(), {.heads = case_.heads})) {
      const auto first = static_cast<Eigen::Index>(head.first), size = static_cast<Eigen::Index>(head.size);
      sum += case_.slopes[s].segment(at, size).dot(z.segment(first, size));
      at += size;
    }
    return sum;
  }

  std::vector<double> parameters() const {
    NetworkOf<double> changed = case_.network;
    return differences(changed.parameters(), [&] {
      const PlainNetwork net(changed);
      double sum = 0;
      for (std::size_t s = 0; s < case_.inputs.size(); ++s) sum += loss(net, s, case_.inputs[s]);
      return sum / double(case_.inputs.size());
    });
  }

  std::vector<double> inputs() const {
    const PlainNetwork net(case_.network);
    std::vector<double> all;
    for (std::size_t s = 0; s < case_.inputs.size(); ++s) {
      Eigen::VectorXd x = case_.inputs[s];
      const auto row =
          differences({x.data(), static_cast<std::size_t>(x.size())}, [&] { return loss(net, s, x); });
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }

 private:
  template <class Function>
  static std::vector<double> differences(std::span<double> values, const Function& function) {
    constexpr double h = 1e-5;
    std::vector<double> slopes;
    for (double& value : values) {
      const double kept = value;
      value = kept + h;
      const double up = function();
      value = kept - h;
      slopes.push_back((up - function()) / (2 * h));
      value = kept;
    }
    return slopes;
  }

  const LossCase& case_;
  Gradient gradient_;
  std::vector<Eigen::VectorXd> equilibria_;
};

}  // namespace irn
