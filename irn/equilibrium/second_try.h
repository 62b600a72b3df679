// A fast solver first, and another one, from the same starts, for samples that it leaves unsettled: with a certificate all of them, since any way to
// the one equilibrium will do, but one must lead there; else those that ended where the flow does not. Allocates when the second is first needed.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "irn/equilibrium/chunk_solver.h"

namespace irn {

// Which verdicts of Auto's first choice are tried again without a certificate: at a saddle, which the flow only passes by. (The centre of a
// cycle repels with an eigenvalue that turns; there a cycle is the likely end.)
constexpr bool is_at_saddle(const Verdict& verdict) {
  return verdict.outcome == Outcome::repels && verdict.turn == 0;
}
// And which are, if an equilibrium is found near the cycle that attracts: the steps may have been too long to close in on it.
constexpr bool goes_round(const Verdict& verdict) { return verdict.outcome == Outcome::cycles; }
constexpr bool is_unsettled(const Verdict& verdict) { return verdict.outcome != Outcome::settled; }

// The second verdict, on a search along the flow itself, replaces the first; unless it ran out of steps, where the first knew more.
inline bool takes_second(const Verdict& second, Verdict& first) {
  const std::uint32_t evaluations = first.evaluations + second.evaluations;
  const bool takes = second.outcome != Outcome::ran_out && second.outcome != Outcome::slow;
  if (takes) first = second;
  first.evaluations = evaluations;
  return takes;
}

template <class T>
class SecondTry final : public ChunkSolver<T> {
 public:
  using Solver = std::unique_ptr<ChunkSolver<T>>;
  using Choice = bool (*)(const Verdict&);
  // The second is made when it is needed: on most networks, never.
  // `make_probe`, if there is one, makes the solver that looks for an equilibrium near what goes round.
  SecondTry(Solver first, std::function<Solver()> make_second, Choice tried_again,
            std::function<Solver()> make_probe, std::size_t neurons)
      : first_(std::move(first)),
        make_second_(std::move(make_second)),
        make_probe_(std::move(make_probe)),
        tried_again_(tried_again),
        neurons_(neurons) {}

  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, const StartStates<T>& starts,
             T* states, Verdict* verdicts) override {
    first_->solve(samples, index, starts, states, verdicts);
    left_.clear();
    for (std::size_t s = 0; s < index.size(); ++s)
      if (tried_again_(verdicts[s])) left_.push_back(s);
    if (make_probe_) probe(samples, index, states, verdicts);
    if (left_.empty()) return;
    if (!second_) second_ = make_second_();
    gather(index, starts);
    second_->solve(samples, index_, starts.at_rest() ? starts : gathered(), states_.data(), verdicts_.data());
    for (std::size_t k = 0; k < left_.size(); ++k)
      if (takes_second(verdicts_[k], verdicts[left_[k]]))
        std::copy_n(&states_[k * neurons_], neurons_, states + left_[k] * neurons_);
  }

 private:
  // Adds what goes round an equilibrium that attracts, in the order of samples.
  void probe(const Samples<T>& samples, std::span<const std::uint64_t> index, const T* states,
             const Verdict* verdicts) {
    round_.clear(), index_.clear(), starts_.clear();
    for (std::size_t s = 0; s < index.size(); ++s)
      if (goes_round(verdicts[s])) {
        round_.push_back(s), index_.push_back(index[s]);
        starts_.insert(starts_.end(), states + s * neurons_, states + (s + 1) * neurons_);
      }
    if (round_.empty()) return;
    if (!probe_) probe_ = make_probe_();
    states_.resize(round_.size() * neurons_), verdicts_.resize(round_.size());
    probe_->solve(samples, index_, {starts_, neurons_, round_.size()}, states_.data(), verdicts_.data());
    for (std::size_t k = 0; k < round_.size(); ++k)
      if (!is_unsettled(verdicts_[k])) left_.push_back(round_[k]);
    std::ranges::sort(left_);
  }
  void gather(std::span<const std::uint64_t> index, const StartStates<T>& starts) {
    index_.clear(), starts_.clear();
    for (const std::size_t s : left_) {
      index_.push_back(index[s]);
      if (!starts.at_rest()) starts_.insert(starts_.end(), starts.of(s), starts.of(s) + neurons_);
    }
    states_.resize(left_.size() * neurons_), verdicts_.resize(left_.size());
  }
  StartStates<T> gathered() const { return {starts_, neurons_, left_.size()}; }

  Solver first_, second_, probe_;
  std::function<Solver()> make_second_, make_probe_;
  Choice tried_again_;
  std::size_t neurons_;
  std::vector<std::size_t> left_, round_;
  std::vector<std::uint64_t> index_;
  std::vector<T> starts_, states_;
  std::vector<Verdict> verdicts_;
};

}  // namespace irn
