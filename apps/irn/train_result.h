// The results of a training: the model of its best weights, its page, and one line on standard output.
#pragma once

#include <map>
#include <string>

#include "apps/irn/train_folder.h"
#include "apps/irn/train_run.h"

namespace irn::app {

template <class T>
struct TrainResult {  // everything that it refers to must outlive it
  const TrainSettings& settings;
  const TrainFolder& folder;
  const TrainingTable& table;
  const TrainRun<T>& run;
  const std::string& configuration;  // TOML
  ThreadPool& threads;

  // The assessment of the best weights may be missing while training goes on.
  std::map<std::string, double> metrics(const Assessment* assessment) const;
  void write_best(const Assessment* assessment = nullptr) const;
  void write_report(const std::string& outcome, const Assessment& assessment) const;
  // Prints the model's path, or with --json all metrics.
  void print(const Assessment& assessment) const;
};

extern template struct TrainResult<float>;
extern template struct TrainResult<double>;

}  // namespace irn::app
