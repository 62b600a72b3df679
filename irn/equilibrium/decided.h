// A solver that decides, where the stability of an equilibrium is in doubt, by the eigenvalues of J = D A M,
// with the slopes D at the state and the sample's gates M. Allocates memory at the first doubt.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "irn/equilibrium/chunk_solver.h"
#include "irn/equilibrium/decide.h"

namespace irn {

template <class T>
class Decided final : public ChunkSolver<T> {
 public:
  Decided(std::unique_ptr<ChunkSolver<T>> solver, const PackedNetwork<T>& network, double accuracy)
      : solver_(std::move(solver)), network_(network), accuracy_(accuracy) {}

  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, const StartStates<T>& starts,
             T* states, Verdict* verdicts) override {
    solver_->solve(samples, index, starts, states, verdicts);
    for (std::size_t s = 0; s < index.size(); ++s)
      if (in_doubt(verdicts[s])) {
        find_gates(samples, index.subspan(s, 1));
        decide(states + s * network_.neurons(), verdicts[s]);
      }
  }

 private:
  void find_gates(const Samples<T>& samples, std::span<const std::uint64_t> sample) {
    gates_.assign(network_.neurons(), T(1));
    if (samples.gates() != 0) samples.gates_as_rows(sample, gates_.data());
  }
  void decide(const T* state, Verdict& verdict) {
    const std::size_t n = network_.neurons();
    if (!judge_) judge_.emplace(n);
    const std::span<double> jacobian = judge_->jacobian();
    for (const RowGroup<T>& group : network_.a)
      for (std::size_t i = group.first; i < group.first + group.panels.rows; ++i) {
        const double slope = slope_from_value(group.activation, double(state[i]));
        for (std::size_t j = 0; j < n; ++j)
          jacobian[i * n + j] = slope * double(network_.dense_a[i * n + j]) * double(gates_[j]);
      }
    judge_->decide(accuracy_, verdict);
  }

  std::unique_ptr<ChunkSolver<T>> solver_;
  const PackedNetwork<T>& network_;
  double accuracy_;
  std::optional<EigenvalueJudge> judge_;
  std::vector<T> gates_;
};

}  // namespace irn
