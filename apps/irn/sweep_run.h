// A sweep under way: trials, each judged by cross-validation, and their results, kept on disk one training at a time.
//   grid, random   every trial with all epochs
//   halving        successive halving (Jamieson and Talwalkar 2016): all trials with a share of the epochs, the better third of them with three times as
//                  many, and so on to the last with all of them. Each is trained from its start: a schedule runs over the epochs it has.
// What comes out is a function of settings, space and data: not of threads, nor of how often it was interrupted.
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
  std::vector<TrainSettings> settings;  // one a trial, with all its epochs
  std::vector<FoldJob> folds;
  std::vector<double> rungs = {1};  // shares of the epochs
  std::size_t keep = 3;             // one in so many goes on to the next rung
  Metric metric = Metric::accuracy;
};

// One trial on one rung, over its folds so far.
struct TrialResult {
  std::size_t trial = 0, rung = 0, epochs = 0;  // trial counted from 1, epochs at most
  std::vector<nlohmann::ordered_json> folds;    // results that are there
  bool complete = false;

  double mean(const std::string& metric) const;    // over the folds; not a number if one has none
  double spread(const std::string& metric) const;  // standard deviation over the folds
  double sum(const char* key) const;
};

struct SweepState {
  std::vector<TrialResult> results;  // of all rungs so far, in the order of rungs and trials
  std::size_t done = 0, total = 0;   // trainings; total of the rungs that are known
  double seconds = 0, seconds_left = 0;
};

enum class SweepEnd { finished, interrupted };

// Keeps results in `folder`, made with `protocol` (irn::Error if it holds those of another); goes on with what is missing. `tell` is called after every
// training, by one thread at a time.
SweepEnd run_sweep(const SweepPlan& plan, const TrainingTable& table, const std::filesystem::path& folder,
                   const nlohmann::ordered_json& protocol, ThreadPool& threads, const std::atomic<bool>& stop,
                   const std::function<void(const SweepState&)>& tell, SweepState& state);

// Results by their score, best first: those of later rungs before earlier ones; those that have no score last.
std::vector<const TrialResult*> ranked(const SweepState& state, Metric metric);
// Those of one rung. Only they compare: the others were given fewer epochs, or more.
std::vector<const TrialResult*> ranked_on(std::size_t rung, const SweepState& state, Metric metric);

}  // namespace irn::app
