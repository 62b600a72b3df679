// What a page tells of a trained network beside its scores: how some rows settle, and which columns its answers depend on. Some rows
// and few repeats, so that a training does not take longer for its page; irn check and irn importance look at all.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/irn/train_run.h"
#include "irn/analysis/importance.h"
#include "irn/analysis/settling_path.h"

namespace irn::app {

struct RowPath {
  std::string name;  // "row 17, quickest"
  SettlingPath path;
};

struct TrainInsight {
  std::vector<RowPath> paths;                     // none of a network too large for it
  double tolerance = 0;                           // of the residual
  std::vector<PermutationImportance> importance;  // none of very many columns
  std::size_t importance_rows = 0;
  Metric importance_metric = Metric::loss;
};

// Of the best weights, over rows that judge.
template <class T>
TrainInsight look_into(const TrainRun<T>& run, ThreadPool& threads);

}  // namespace irn::app
