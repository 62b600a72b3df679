// Runs a first solver and then another one, from the same starts, on some of the samples that the first
// leaves unsettled. With a certificate these are all of them: any path to the one equilibrium will do, but
// one must lead there. Without a certificate they are those whose search ended where the flow does not.
// Allocates when the second solver is first needed.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "irn/equilibrium/chunk_solver.h"
#include "irn/equilibrium/tried_again.h"

namespace irn {

template <class T>
class SecondTry final : public ChunkSolver<T> {
 public:
  using Solver = std::unique_ptr<ChunkSolver<T>>;
  using Choice = bool (*)(const Verdict&);
  // The second solver is made only when it is needed: on most networks, never.
  SecondTry(Solver first, std::function<Solver()> make_second, Choice tried_again, std::size_t neurons)
      : first_(std::move(first)),
        make_second_(std::move(make_second)),
        tried_again_(tried_again),
        neurons_(neurons) {}

  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, const StartStates<T>& starts,
             T* states, Verdict* verdicts) override {
    first_->solve(samples, index, starts, states, verdicts);
    left_.clear();
    for (std::size_t s = 0; s < index.size(); ++s)
      if (tried_again_(verdicts[s])) left_.push_back(s);
    if (left_.empty()) return;
    if (!second_) second_ = make_second_();
    gather(index, starts);
    second_->solve(samples, index_, starts.at_rest() ? starts : gathered(), states_.data(), verdicts_.data());
    for (std::size_t k = 0; k < left_.size(); ++k)
      if (takes_second(verdicts_[k], verdicts[left_[k]]))
        std::copy_n(&states_[k * neurons_], neurons_, states + left_[k] * neurons_);
  }

 private:
  void gather(std::span<const std::uint64_t> index, const StartStates<T>& starts) {
    index_.clear(), starts_.clear();
    for (const std::size_t s : left_) {
      index_.push_back(index[s]);
      if (!starts.at_rest()) starts_.insert(starts_.end(), starts.of(s), starts.of(s) + neurons_);
    }
    states_.resize(left_.size() * neurons_), verdicts_.resize(left_.size());
  }
  StartStates<T> gathered() const { return {starts_, neurons_, left_.size()}; }

  Solver first_, second_;
  std::function<Solver()> make_second_;
  Choice tried_again_;
  std::size_t neurons_;
  std::vector<std::size_t> left_;
  std::vector<std::uint64_t> index_;
  std::vector<T> starts_, states_;
  std::vector<Verdict> verdicts_;
};

}  // namespace irn
