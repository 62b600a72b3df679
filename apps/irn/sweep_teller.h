// A running sweep, on standard error: a table of the best trials that rewrites itself on a terminal, one line
// for each trial elsewhere.
#pragma once

#include <chrono>
#include <set>
#include <string>

#include "apps/irn/sweep_run.h"

namespace irn::app {

class SweepTeller {
 public:
  SweepTeller(const SweepPlan& plan, bool quiet) : plan_(plan), quiet_(quiet) {}
  void tell(const SweepState& state);  // by one thread at a time
  void finish() const;                 // leaves the table behind, for what is printed next

 private:
  void draw(const SweepState& state);
  void tell_new(const SweepState& state);

  const SweepPlan& plan_;
  bool quiet_, begun_ = false;
  std::size_t lines_ = 0;                               // of the table on the terminal
  std::set<std::pair<std::size_t, std::size_t>> told_;  // (rung, trial)
  std::chrono::steady_clock::time_point next_ = {};
};

// "; 2 of 3 diverged", of the trial's trainings; empty if none did.
std::string diverged_text(const TrialResult& result);
// "rate 0.01, layers 64-32": the options that vary.
std::string trial_text(const SweepPlan& plan, const Trial& trial);

// The epochs that the trials of a rung had: "27 epochs", or "1/9 of their epochs" if epochs are an option
// that varies.
std::string rung_text(const SweepPlan& plan, const SweepState& state, std::size_t rung);

}  // namespace irn::app
