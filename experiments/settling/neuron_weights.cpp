#include "experiments/settling/neuron_weights.h"

#include <algorithm>
#include <cmath>

#include "irn/base/decompositions-inl.h"
#include "irn/network/certificate.h"

namespace irn::experiments {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// t = log(P) / 2 stays within this: weights differ by a factor of e^8 at most.
constexpr double largest_log = 2;

// The excess over a bound of the symmetric part of B = e^t W e^-t, and the antisymmetric part of B.
struct Excess {
  Matrix turning, vectors;
  Vector too_much;  // lambda_i - bound, above zero

  Excess(const Matrix& w, const Vector& t, double bound) {
    const Matrix b = t.array().exp().matrix().asDiagonal() * w * (-t).array().exp().matrix().asDiagonal();
    turning = 0.5 * (b - b.transpose());
    const SymmetricEigen all = symmetric_eigen(0.5 * (b + b.transpose()));
    const Index above = (all.values.array() > bound).count();
    too_much = all.values.tail(above).array() - bound;
    vectors = all.vectors.rightCols(above);
  }
  double size() const { return too_much.squaredNorm(); }
  // d size / dt:  d lambda / dt_k = 2 v_k (K v)_k,  K the antisymmetric part.
  Vector slope() const { return 4 * (vectors.array() * (turning * vectors).array()).matrix() * too_much; }
  Matrix matrix() const { return vectors * too_much.asDiagonal() * vectors.transpose(); }
};

// Some steps down the excess. Each has the length that would bring a straight line to zero, halved until the
// excess falls.
void lower_excess(const Matrix& w, Vector& t, double bound) {
  constexpr int steps = 4, halvings = 4;
  Excess now(w, t, bound);
  for (int step = 0; step < steps && now.size() > 0; ++step) {
    const Vector slope = now.slope();
    double length = now.size() / std::max(slope.squaredNorm(), 1e-30);
    bool lower = false;
    for (int k = 0; k < halvings && !lower; ++k, length /= 2) {
      const Vector tried = (t - length * slope).cwiseMax(-largest_log).cwiseMin(largest_log);
      Excess there(w, tried, bound);
      if (!(lower = there.size() < now.size())) continue;
      t = tried;
      now = std::move(there);
    }
    if (!lower) return;
  }
}

// Osborne's sweeps: choose t_i so that row i and column i of B have the same length.
void balance(const Matrix& w, Vector& t) {
  constexpr int sweeps = 4;
  t.setZero();
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Index i = 0; i < w.rows(); ++i) {
      double row = 0, column = 0;
      for (Index j = 0; j < w.rows(); ++j) {
        if (j == i) continue;
        row += std::pow(w(i, j) * std::exp(-t[j]), 2), column += std::pow(w(j, i) * std::exp(t[j]), 2);
      }
      if (row > 0 && column > 0) t[i] = std::clamp(0.25 * std::log(column / row), -largest_log, largest_log);
    }
}

}  // namespace

template <class T>
struct WeightedCertifier<T>::HeldLoop {
  struct Held {
    Block block;
    Index row, col;
  };

  HeldLoop(const Architecture& architecture, const Loop& loop, Weights chosen)
      : weights(chosen),
        log_roots(Vector::Zero(Index(loop.neurons))),
        slope_roots(Vector(Index(loop.neurons))) {
    for (const std::size_t l : loop.layers) {
      const auto& [size, f, shape] = architecture.layers()[l - 1];
      slope_roots.segment(Index(loop.first[l]), Index(size)).setConstant(std::sqrt(max_slope(f)));
    }
    for (const std::size_t index : loop.blocks) {
      const Block& b = architecture.blocks()[index];
      blocks.push_back({b, Index(loop.first[b.to]), Index(loop.first[b.from])});
    }
  }

  template <class Visit>
  void each_entry(const Visit& visit) const {
    for (const auto& [b, row, col] : blocks)
      for (std::size_t k = 0; k < b.parameters; ++k)
        visit(b.weights + k, row + Index(k / b.cols), col + Index(k % b.cols));
  }
  Matrix matrix(const NetworkOf<T>& network) const {  // S^1/2 A S^1/2
    Matrix w = Matrix::Zero(slope_roots.size(), slope_roots.size());
    each_entry([&](std::size_t k, Index i, Index j) {
      w(i, j) = double(network.parameters()[k]) * slope_roots[i] * slope_roots[j];
    });
    return w;
  }
  // Removes the excess over the bound from the network; false if there is none.
  bool reduce(NetworkOf<T>& network, double bound) {
    const Matrix w = matrix(network);
    if (weights == Weights::balanced) balance(w, log_roots);
    if (weights == Weights::optimised) lower_excess(w, log_roots, bound);
    const Excess excess(w, log_roots, bound);
    if (excess.size() == 0) return false;
    const Matrix out = excess.matrix();
    each_entry([&](std::size_t k, Index i, Index j) {
      const double factor = std::exp(log_roots[j] - log_roots[i]) / (slope_roots[i] * slope_roots[j]);
      T& p = network.parameters()[k];
      p = static_cast<T>(double(p) - out(i, j) * factor);
    });
    return true;
  }
  bool certified(const NetworkOf<T>& network) const {
    const Matrix w = matrix(network);
    const Matrix b =
        log_roots.array().exp().matrix().asDiagonal() * w * (-log_roots).array().exp().matrix().asDiagonal();
    const Matrix x = 0.5 * (b + b.transpose());
    return irn::is_certified(std::vector<double>(x.data(), x.data() + x.size()));
  }

  Weights weights;
  Vector log_roots, slope_roots;  // log(P) / 2, s_i^1/2
  std::vector<Held> blocks;
};

template <class T>
WeightedCertifier<T>::WeightedCertifier(const Architecture& architecture, double bound, Weights weights)
    : bound_(bound) {
  for (const Loop& loop : loops(architecture)) loops_.emplace_back(architecture, loop, weights);
}
template <class T>
WeightedCertifier<T>::~WeightedCertifier() = default;
template <class T>
WeightedCertifier<T>::WeightedCertifier(WeightedCertifier&&) noexcept = default;

template <class T>
bool WeightedCertifier<T>::after_step(NetworkOf<T>& network, std::uint64_t steps) {
  bool changed = false;
  for (HeldLoop& loop : loops_)
    if (loop.slope_roots.size() <= 16 || steps % 16 == 0) changed |= loop.reduce(network, bound_);
  return changed;
}

// As in Certifier, halfway from the bound to 1 is near enough; balanced weights, which change with A, need
// some rounds.
template <class T>
bool WeightedCertifier<T>::hold(NetworkOf<T>& network) {
  bool changed = false;
  for (HeldLoop& loop : loops_)
    for (int round = 0; round < 100; ++round) {
      if (round > 0 && loop.certified(network)) break;
      changed |= loop.reduce(network, bound_);
    }
  return changed;
}

template <class T>
bool WeightedCertifier<T>::is_certified(const NetworkOf<T>& network) const {
  return std::all_of(loops_.begin(), loops_.end(),
                     [&](const HeldLoop& loop) { return loop.certified(network); });
}

template class WeightedCertifier<float>;
template class WeightedCertifier<double>;

}  // namespace irn::experiments
