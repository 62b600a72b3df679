#include "apps/irn/sweep_teller.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include <fmt/format.h>

#include "apps/irn/counted.h"
#include "apps/irn/terminal.h"

namespace irn::app {
namespace {

std::string progress_text(const SweepState& state) {
  return fmt::format("{}/{} trainings, {} gone{}", state.done, state.total, clock_text(state.seconds),
                     state.done < state.total && state.seconds_left > 0
                         ? ", " + clock_text(state.seconds_left) + " left"
                         : "");
}

std::string result_text(const SweepPlan& plan, const TrialResult& result) {
  const std::string metric(name(plan.metric));
  const std::string rung = plan.rungs.size() > 1 ? fmt::format(", {} epochs", result.epochs) : "";
  return fmt::format("trial {}{}: {} {:.4f}  {}{}", result.trial, rung, metric, result.mean(metric),
                     trial_text(plan, plan.trials[result.trial - 1]), diverged_text(result));
}

}  // namespace

std::string trial_text(const SweepPlan& plan, const Trial& trial) {
  std::string text;
  for (std::size_t k = 0; k < plan.space.size(); ++k)
    if (plan.space[k].varies())
      text += (text.empty() ? "" : ", ") + plan.space[k].key + " " + plain_value(trial.values[k]);
  return text;
}

std::string diverged_text(const TrialResult& result) {
  const double diverged = result.sum("diverged");
  return diverged > 0 ? fmt::format("; {:g} of {} diverged", diverged, result.folds.size()) : "";
}

std::string rung_text(const SweepPlan& plan, const SweepState& state, std::size_t rung) {
  std::set<std::size_t> epochs;
  for (const TrialResult& result : state.results)
    if (result.rung == rung) epochs.insert(result.epochs);
  if (epochs.size() == 1) return counted(*epochs.begin(), "epoch");
  const double share = plan.rungs[rung];
  return share < 1 ? fmt::format("1/{:.0f} of their epochs", 1 / share) : "all their epochs";
}

void SweepTeller::tell(const SweepState& state) {
  if (quiet_) return;
  if (!begun_) {
    begun_ = true;
    std::cerr << fmt::format("{} of {} trainings each, by {}{}\n", counted(plan_.trials.size(), "trial"),
                             plan_.folds.size(), name(plan_.metric),
                             state.done > 0 ? fmt::format("; {} trainings are there", state.done) : "");
  }
  on_terminal() ? draw(state) : tell_new(state);
}

void SweepTeller::draw(const SweepState& state) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_ && state.done < state.total) return;
  next_ = now + std::chrono::milliseconds(200);
  constexpr std::size_t most = 8;
  std::string text = lines_ > 0 ? fmt::format("\033[{}A", lines_) : "";
  const auto line = [&](const std::string& words) { text += "\r\033[K" + words + "\n"; };
  line(cut_to_terminal(progress_text(state)));
  lines_ = 1;
  std::vector<std::size_t> place(plan_.rungs.size(), 0);
  for (const TrialResult* result : ranked(state, plan_.metric)) {
    if (lines_ > most || !result->complete) break;
    line(cut_to_terminal(fmt::format("{:>2}. {}", ++place[result->rung], result_text(plan_, *result))));
    ++lines_;
  }
  std::cerr << text << std::flush;
}

void SweepTeller::tell_new(const SweepState& state) {
  for (const TrialResult& result : state.results)
    if (result.complete && told_.insert({result.rung, result.trial}).second)
      std::cerr << result_text(plan_, result) << "  (" << progress_text(state) << ")\n";
}

void SweepTeller::finish() const { std::cerr << std::flush; }

}  // namespace irn::app
