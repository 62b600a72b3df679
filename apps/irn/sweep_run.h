// A running sweep: trials, each judged by cross-validation, and their results, saved after every training.
//   grid, random   every trial with all epochs
//   halving        successive halving (Jamieson and Talwalkar 2016): all trials with a share of the epochs,
//                  then the better third with three times as many, and so on to the last rung with all of
//                  them. Every training starts anew: a schedule runs over the epochs it has.
// The result is a function of settings, space and data: not of the threads, nor of interruptions.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/irn/cross_validation.h"
#include "apps/irn/sweep_space.h"

namespace irn::app {

struct SweepPlan {
  std::vector<SpaceOption> space;
  std::vector<Trial> trials;
  std::vector<TrainSettings> settings;  // one for each trial, with all its epochs
  std::vector<FoldJob> folds;
  std::vector<double> rungs = {1};  // shares of the epochs
  std::size_t keep = 3;             // one trial in this many goes on to the next rung
  Metric metric = Metric::accuracy;
};

// One trial on one rung, over its folds so far.
struct TrialResult {
  std::size_t trial = 0, rung = 0, epochs = 0;  // trial from 1; epochs at most
  std::vector<nlohmann::ordered_json> folds;    // null until there is a result
  bool complete = false;

  double mean(const std::string& metric) const;    // over the folds; NaN if one has none
  double spread(const std::string& metric) const;  // standard deviation over the folds
  double sum(const char* key) const;
};

struct SweepState {
  std::vector<TrialResult> results;  // of all rungs so far, in the order of rungs and trials
  std::size_t done = 0, total = 0;   // trainings; the total is over all rungs
  double seconds = 0, seconds_left = 0;
};

enum class SweepEnd { finished, interrupted };

// Keeps results in `folder`, together with `protocol` (irn::Error if it holds those of another protocol), and
// continues with what is missing. Calls `tell` after every training, from one thread at a time.
SweepEnd run_sweep(const SweepPlan& plan, const TrainingTable& table, const std::filesystem::path& folder,
                   const nlohmann::ordered_json& protocol, ThreadPool& threads, const std::atomic<bool>& stop,
                   const std::function<void(const SweepState&)>& tell, SweepState& state);

// Results by score, best first: later rungs before earlier ones; results without a score last.
std::vector<const TrialResult*> ranked(const SweepState& state, Metric metric);
// The results of one rung. Only these compare: on other rungs trials had fewer epochs, or more.
std::vector<const TrialResult*> ranked_on(std::size_t rung, const SweepState& state, Metric metric);

}  // namespace irn::app
