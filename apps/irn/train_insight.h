// What a page tells of a trained network besides its scores: how some rows settle, and which columns its
// answers depend on. Only some rows and few repeats, so that the page does not prolong the training; irn
// check and irn importance use all rows.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/irn/train_run.h"
#include "irn/analysis/importance.h"
#include "irn/analysis/settling_path.h"

namespace irn::app {

struct RowPath {
  std::string name;  // "row 17, fewest evaluations"
  SettlingPath path;
};

struct TrainInsight {
  std::vector<RowPath> paths;                     // empty if the network is too large
  double tolerance = 0;                           // of the residual
  std::vector<PermutationImportance> importance;  // empty if there are very many columns
  std::size_t importance_rows = 0;
  Metric importance_metric = Metric::loss;
};

// For the best weights, over the rows that judge.
template <class T>
TrainInsight look_into(const TrainRun<T>& run, ThreadPool& threads);

}  // namespace irn::app
