// What each gradient differentiates, as a plain function of the parameters and of the inputs, and its central
// differences.
#pragma once

#include <vector>

#include "irn/base/options_text.h"
#include "irn/gradient/gradient.h"
#include "tests/support/plain_network.h"

namespace irn {

// A linear loss: the mean over samples of slopes . outputs.
struct LossCase {
  Network<double> network;
  std::vector<Eigen::VectorXd> inputs, slopes;
  std::vector<std::size_t> heads = {};  // whose neurons the slopes are of; empty: the last layer

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

inline Eigen::VectorXd differentiated_state(const Gradient& gradient, const PlainNetwork& net,
                                            const Eigen::VectorXd& x, const Eigen::VectorXd& equilibrium) {
  if (std::holds_alternative<ExactGradient>(gradient)) return net.polish(equilibrium, x);
  if (std::holds_alternative<SemiGradient>(gradient)) return net.sweep(equilibrium, x);
  if (const auto* truncated = std::get_if<TruncatedGradient>(&gradient)) {
    Eigen::VectorXd z = equilibrium;
    for (std::size_t k = 0; k < truncated->terms; ++k) z += truncated->damping * (net.map(z, x) - z);
    return z;
  }
  Eigen::VectorXd z = Eigen::VectorXd::Zero(equilibrium.size());
  if (const auto* reversible = std::get_if<ReversibleGradient>(&gradient)) {
    Eigen::VectorXd y = z;
    for (std::size_t k = 0; k < reversible->steps; ++k) {
      y += reversible->damping * (net.map(z, x) - y);
      z += reversible->damping * (net.map(y, x) - z);
    }
    return z;
  }
  for (std::size_t k = 0; k < std::get<UnrolledGradient>(gradient).steps; ++k) z = net.map(z, x);
  return z;
}

class PlainGradient {
 public:
  PlainGradient(const LossCase& c, const Gradient& gradient) : case_(c), gradient_(gradient) {
    const PlainNetwork net(c.network);
    for (const auto& x : c.inputs) equilibria_.push_back(net.polish(net.flow_limit(x, 0.5, 400, 1e-9), x));
  }

  // The loss of sample s under changed parameters or inputs.
  double loss(const PlainNetwork& net, std::size_t s, const Eigen::VectorXd& x) const {
    const Eigen::VectorXd z = differentiated_state(gradient_, net, x, equilibria_[s]);
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
    Network<double> changed = case_.network;
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
