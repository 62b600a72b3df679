#include "irn/optim/certifier.h"

#include <algorithm>
#include <cmath>

#include "irn/base/decompositions-inl.h"
#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/base/random.h"
#include "irn/network/convolution_loop.h"

namespace irn {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// The number of optimiser steps between two checks. The eigenvectors of wider loops cost as much as a step
// with a small batch, and more frequent checks do not make a network learn better. A few neurons move far in
// one step, too far without a check.
constexpr std::uint64_t steps_between(std::size_t neurons) { return neurons <= 16 ? 1 : 16; }

// Eigenvalues above a bound, and their eigenvectors as columns.
struct Excess {
  Vector values;
  Matrix vectors;
  bool empty() const { return values.size() == 0; }
};

Excess above(const Vector& values, const Matrix& vectors, double bound) {
  Index first = 0;
  while (first < values.size() && values[first] <= bound) ++first;
  const Index count = values.size() - first;
  return {values.tail(count), vectors.rightCols(count)};
}

// Whether all eigenvalues are below the bound, by Cholesky's method: a twentieth of the cost of the
// eigenvectors.
bool all_below(const Matrix& x, double bound, Matrix& work) {
  work.noalias() = -x;
  work.diagonal().array() += bound;
  return cholesky_succeeds(work);
}

// Beyond this size Lanczos' method finds the largest eigenvalues.
constexpr Index largest_dense = 96;
constexpr Index lanczos_steps = 48;

// Lanczos' method with full reorthogonalisation: q is an orthonormal basis of x's Krylov space, and the
// tridiagonal matrix is x in that basis. `round` chooses the start.
Excess lanczos(const Matrix& x, double bound, std::uint64_t round) {
  const Index n = x.rows(), most = std::min(n, lanczos_steps);
  Matrix q(n, most);
  Vector diagonal(most), beside(most);
  const Stream signs(round, 0);
  for (Index i = 0; i < n; ++i) q(i, 0) = signs.uniform(static_cast<std::uint64_t>(i)) - 0.5;
  q.col(0).normalize();
  Index k = 0;
  for (;; ++k) {
    Vector next = x.selfadjointView<Eigen::Lower>() * q.col(k);
    diagonal[k] = q.col(k).dot(next);
    for (int pass = 0; pass < 2; ++pass)
      next -= q.leftCols(k + 1) * (q.leftCols(k + 1).transpose() * next).eval();
    beside[k] = next.norm();
    if (k + 1 == most || beside[k] < 1e-10 * (1 + std::abs(diagonal[k]))) break;
    q.col(k + 1) = next / beside[k];
  }
  const SymmetricEigen small = tridiagonal_eigen(diagonal.head(k + 1), beside.head(k));
  const Excess inner = above(small.values, small.vectors, bound);
  return {inner.values, q.leftCols(k + 1) * inner.vectors};
}

Excess excess_of(const Matrix& x, double bound, std::uint64_t round) {
  if (x.rows() > largest_dense) return lanczos(x, bound, round);
  const SymmetricEigen all = symmetric_eigen(x);
  return above(all.values, all.vectors, bound);
}

// One loop of a network, and how its blocks take up a change of X.
class HeldLoop {
 public:
  HeldLoop(const Architecture& architecture, const Loop& loop)
      : loop_(loop), slope_roots_(static_cast<Index>(loop.neurons)) {
    for (const std::size_t l : loop.layers) {
      const Layer& layer = architecture.layers()[l - 1];
      slope_roots_.segment(Index(loop.first[l]), Index(layer.size))
          .setConstant(std::sqrt(max_slope(layer.activation)));
    }
    for (const std::size_t index : loop.blocks) {
      const Block& block = architecture.blocks()[index];
      blocks_.push_back({block, loop.first[block.to], loop.first[block.from]});
    }
  }

  std::size_t neurons() const { return loop_.neurons; }

  template <class T>
  Matrix symmetric_part(const NetworkOf<T>& network) const {
    const std::vector<double> x = irn::symmetric_part(network, loop_);
    const Index n = static_cast<Index>(loop_.neurons);
    return Eigen::Map<const Matrix>(x.data(), n, n);
  }

  // Adds to the parameters the change of A that belongs to this change of X, as far as blocks have entries
  // for it.
  template <class T>
  void add(const Matrix& change, std::span<T> parameters) const {
    each_entry([&](std::size_t parameter, Index i, Index j) {
      parameters[parameter] =
          static_cast<T>(double(parameters[parameter]) + change(i, j) / (slope_roots_[i] * slope_roots_[j]));
    });
  }
  // How much of v v^T the blocks can take up, v^T (what they take up) v: 1 if every entry of A is a
  // parameter.
  double taken(const Vector& v) const {
    double sum = 0;
    each_entry([&](std::size_t, Index i, Index j) { sum += v[i] * v[i] * v[j] * v[j]; });
    return sum;
  }
  // Multiplies A by about `factor`, whatever the operators: exactly if each block is a product of its
  // parameters.
  template <class T>
  void scale(double factor, std::span<T> parameters) const {
    for (const Held& held : blocks_) {
      const double each = std::pow(factor, 1.0 / double(held.block.factors().size()));
      for (T& w : parameters.subspan(held.block.weights, held.block.parameters))
        w = static_cast<T>(double(w) * each);
    }
  }

 private:
  struct Held {
    Block block;
    std::size_t row, col;  // in the loop
  };
  // Calls visit(parameter, i, j) for the entries of A that are parameters themselves.
  template <class Visit>
  void each_entry(const Visit& visit) const {
    for (const auto& [block, row, col] : blocks_) {
      const std::vector<Factor> factors = block.factors();
      const bool diagonal = factors[0].kind == Factor::Kind::diagonal;
      if (factors.size() > 1 || (!diagonal && factors[0].kind != Factor::Kind::matrix)) continue;
      for (std::size_t i = 0; i < block.rows; ++i)
        for (std::size_t j = diagonal ? i : 0; j < (diagonal ? i + 1 : block.cols); ++j)
          visit(block.weights + (diagonal ? i : i * block.cols + j), Index(row + i), Index(col + j));
    }
  }

  Loop loop_;
  Vector slope_roots_;  // s_i^1/2
  std::vector<Held> blocks_;
};

// Takes a share of the excess over the bound out of a loop. Entries that are not parameters cannot take up
// their part, so the others take up more.
template <class T>
void reduce(const HeldLoop& loop, NetworkOf<T>& network, const Matrix& x, double bound, std::uint64_t round,
            double share = 1) {
  const Excess excess = excess_of(x, bound, round);
  if (excess.empty()) return;
  const Index last = excess.values.size() - 1;
  const double taken = loop.taken(excess.vectors.col(last));
  // Hardly any entry is a parameter of its own.
  if (taken < 0.1) {
    loop.scale<T>(1 - share * (1 - bound / excess.values[last]), network.parameters());
    return;
  }
  const Vector too_much = (share / taken) * (excess.values.array() - bound);
  loop.add<T>(-(excess.vectors * too_much.asDiagonal() * excess.vectors.transpose()), network.parameters());
}

// If a loop does not shrink below the bound in this many steps of a tenth, something else is wrong.
void check_shrinks(std::uint64_t round) {
  if (round == 200)
    throw Error(
        "this network cannot be certified: an operator of its loops does not shrink with its numbers, as "
        "pool and "
        "up do not, which have none; train without a certificate");
}

}  // namespace

template <class T>
struct Certifier<T>::State {
  double bound, limit;
  std::vector<HeldLoop> loops = {};
  std::vector<ConvolutionLoop> images = {};
  Matrix work = {};
};

template <class T>
Certifier<T>::Certifier(const Architecture& architecture, double bound, double limit)
    : state_(std::make_unique<State>(State{bound, limit})) {
  const double largest = largest_certified_bound * limit;
  if (!(bound > 0 && bound <= largest && limit <= 1))
    throw Error("a certificate's bound lies above 0 and at " + write_value(largest) + " at most");
  for (const Loop& loop : loops(architecture))
    if (ConvolutionLoop::fits(architecture, loop))
      state_->images.emplace_back(architecture, loop);
    else
      state_->loops.emplace_back(architecture, loop);
}
template <class T>
Certifier<T>::~Certifier() = default;
template <class T>
Certifier<T>::Certifier(Certifier&&) noexcept = default;

template <class T>
bool Certifier<T>::is_due(std::uint64_t steps) const {
  const auto is_due = [&](std::size_t neurons) { return steps % steps_between(neurons) == 0; };
  return std::any_of(state_->loops.begin(), state_->loops.end(),
                     [&](const HeldLoop& loop) { return is_due(loop.neurons()); }) ||
         std::any_of(state_->images.begin(), state_->images.end(),
                     [&](const ConvolutionLoop& loop) { return is_due(loop.channels()); });
}

template <class T>
void Certifier<T>::after_step(NetworkOf<T>& network, std::uint64_t steps) {
  for (const HeldLoop& loop : state_->loops) {
    if (steps % steps_between(loop.neurons()) != 0) continue;
    const Matrix x = loop.symmetric_part(network);
    if (all_below(x, state_->bound, state_->work)) continue;
    reduce(loop, network, x, state_->bound, 0);
  }
  for (const ConvolutionLoop& loop : state_->images)
    if (steps % steps_between(loop.channels()) == 0)
      loop.reduce(network.parameters().data(), state_->bound, 1);
}

template <class T>
void Certifier<T>::pull(NetworkOf<T>& network, double share) {
  for (const HeldLoop& loop : state_->loops) {
    const Matrix x = loop.symmetric_part(network);
    // An uncertified network may have left the range of numbers; then there is nothing to take out.
    if (x.allFinite()) reduce(loop, network, x, state_->bound, 0, share);
  }
  for (const ConvolutionLoop& loop : state_->images)
    loop.reduce(network.parameters().data(), state_->bound, share);
}

template <class T>
void Certifier<T>::hold(NetworkOf<T>& network) {
  constexpr std::uint64_t most_rounds = 30;
  // Half way from the bound to the limit is near enough: the rest is rounding, or what absent entries could
  // not take up.
  const double enough = 0.5 * (state_->limit + state_->bound);
  for (const HeldLoop& loop : state_->loops) {
    Matrix x = loop.symmetric_part(network);
    for (std::uint64_t round = 0; round < most_rounds && !all_below(x, enough, state_->work); ++round) {
      reduce(loop, network, x, state_->bound, round);
      x = loop.symmetric_part(network);
    }
    for (std::uint64_t round = 0; !all_below(x, enough, state_->work); ++round) {
      check_shrinks(round);
      loop.scale<T>(0.9, network.parameters());
      x = loop.symmetric_part(network);
    }
  }
  for (const ConvolutionLoop& loop : state_->images) {
    T* parameters = network.parameters().data();
    for (std::uint64_t round = 0; !(loop.bound(parameters, enough) < enough); ++round) {
      constexpr std::size_t usual = 16,
                            fine = 64;  // grids: the first rounds are cheap, and leave what lies between
      if (round < most_rounds) {
        loop.reduce(parameters, state_->bound, 1, round < 3 ? usual : fine);
        continue;
      }
      check_shrinks(round - most_rounds);
      loop.scale(parameters, 0.9);
    }
  }
}

template class Certifier<float>;
template class Certifier<double>;

}  // namespace irn
