// z = f(A z + B x + b) in plain double arithmetic on dense matrices: the reference for the fast code.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <span>

#include "irn/base/random.h"
#include "irn/network/network.h"
#include "irn/network/operator_algebra.h"

namespace irn {

struct PlainNetwork {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Vector = Eigen::VectorXd;

  template <class T>
  explicit PlainNetwork(const NetworkOf<T>& network) : architecture(network.architecture()) {
    const Eigen::Index n = static_cast<Eigen::Index>(architecture.neurons());
    const Eigen::Index m = static_cast<Eigen::Index>(architecture.inputs());
    a = Eigen::Map<const Matrix>(network.dense_a().data(), n, n);
    b = Eigen::Map<const Matrix>(network.dense_b().data(), n, m);
    bias.resize(n);
    write_biases(architecture, network.parameters().data(), bias.data());
    f.resize(architecture.neurons());
    for (std::size_t l = 1; l <= architecture.layers().size(); ++l)
      for (std::size_t i = 0; i < architecture.layers()[l - 1].size; ++i)
        f[architecture.first_neuron(l) + i] = architecture.layers()[l - 1].activation;
  }

  Vector drive(const Vector& x) const { return b * x + bias; }
  Vector activated(Vector u) const {
    for (Eigen::Index i = 0; i < u.size(); ++i) u(i) = activate(f[static_cast<std::size_t>(i)], u(i));
    return u;
  }
  Vector map(const Vector& z, const Vector& x) const { return activated(a * z + drive(x)); }
  double residual(const Vector& z, const Vector& x) const { return (map(z, x) - z).cwiseAbs().maxCoeff(); }
  // The diagonal of D: the slopes of f where its values are `value`.
  Vector slopes(Vector value) const {
    for (Eigen::Index i = 0; i < value.size(); ++i)
      value(i) = slope_from_value(f[static_cast<std::size_t>(i)], value(i));
    return value;
  }
  Matrix jacobian(const Vector& value) const { return slopes(value).asDiagonal() * a; }

  // One layer after the other; each reads the new states of the layers before it, and `held` for the others.
  Vector sweep(const Vector& held, const Vector& x) const {
    Vector z = held;
    const Vector u = drive(x);
    for (std::size_t i = 0, l = 0; l < architecture.layers().size(); ++l) {
      const Eigen::Index first = static_cast<Eigen::Index>(i),
                         size = static_cast<Eigen::Index>(architecture.layers()[l].size);
      Vector source = held;
      source.head(first) = z.head(first);
      z.segment(first, size) = activated(a * source + u).segment(first, size);
      i += architecture.layers()[l].size;
    }
    return z;
  }

  // The state that dz/dt = F(z) - z reaches from rest, by classic Runge-Kutta steps. The residual shows
  // whether it was reached.
  Vector flow_limit(const Vector& x, double step = 0.1, std::size_t steps = 20000,
                    double goal = 1e-13) const {
    Vector z = Vector::Zero(a.rows());
    for (std::size_t s = 0; s < steps; ++s) {
      const Vector k1 = map(z, x) - z;
      if (k1.cwiseAbs().maxCoeff() <= goal) break;
      const Vector z2 = z + step / 2 * k1, k2 = map(z2, x) - z2;
      const Vector z3 = z + step / 2 * k2, k3 = map(z3, x) - z3;
      const Vector z4 = z + step * k3, k4 = map(z4, x) - z4;
      z += step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return z;
  }

  // Newton's method from a state nearby, to the last bits.
  Vector polish(Vector z, const Vector& x) const {
    for (int k = 0; k < 4; ++k) {
      const Vector value = map(z, x);
      z += (Matrix::Identity(a.rows(), a.rows()) - jacobian(value)).lu().solve(value - z);
    }
    return z;
  }

  Architecture architecture;
  Matrix a, b;
  Vector bias;
  std::vector<Activation> f;
};

// Numbers uniform in [-size, size).
template <class T>
std::vector<T> random_numbers(std::size_t count, std::uint64_t seed, double size = 1) {
  const Stream stream(seed, 1234);
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(stream.uniform(i, -size, size));
  return values;
}

// Random weights in every block; the rows of A are scaled so that f' |A| sums to `gain`. Below 1 the map
// contracts and every solver settles; the larger it is, the wilder the dynamics.
template <class T>
NetworkOf<T> random_network(const Architecture& architecture, std::uint64_t seed, double gain) {
  std::vector<T> values = random_numbers<T>(architecture.parameters(), seed);
  std::vector<double> sums(architecture.neurons(), 0.0);
  for (const Block& b : architecture.blocks()) {
    if (b.from_input()) continue;
    const RowBounds rows = row_bounds(b, values.data() + b.weights);
    for (std::size_t i = 0; i < b.rows; ++i)
      sums[b.row + i] += (rows.others[i] + std::abs(rows.diagonal[i])) *
                         max_slope(architecture.layers()[b.to - 1].activation);
  }
  for (const Block& b : architecture.blocks()) {
    // Row i of the last factor, or its entry i, scales row i of the block; numbers of other factors scale the
    // whole block.
    const Factor last = b.factors().back();
    const std::size_t first = b.weights + b.parameters - last.parameters();
    const bool by_rows = last.kind == Factor::Kind::matrix || last.kind == Factor::Kind::diagonal;
    const std::size_t row = by_rows ? last.parameters() / b.rows : 1;
    const double most = *std::max_element(sums.begin() + static_cast<std::ptrdiff_t>(b.row),
                                          sums.begin() + static_cast<std::ptrdiff_t>(b.row + b.rows));
    for (std::size_t k = 0; !b.from_input() && k < last.parameters(); ++k)
      values[first + k] =
          static_cast<T>(double(values[first + k]) * gain / (by_rows ? sums[b.row + k / row] : most));
  }
  return NetworkOf<T>(architecture, std::move(values));
}

template <class T>
Eigen::VectorXd as_vector(std::span<const T> values) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(values.size()));
  std::transform(values.begin(), values.end(), v.begin(), [](T x) { return double(x); });
  return v;
}

}  // namespace irn
