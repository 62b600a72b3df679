// One training of one method on one generated table, as `irn train` would do it: Adam, rates along a cosine, gradients clipped, the epoch
// that does best on rows of its own.
#pragma once

#include "experiments/part.h"
#include "experiments/settling/generated_tables.h"
#include "experiments/settling/method.h"
#include "experiments/settling/settings.h"

namespace irn::experiments {

struct TableRun {
  const GeneratedTable* table;
  Activation activation;
  const Method* method;
  std::size_t repeat = 0;  // repeats of different methods share rows and start

  std::string key() const;
};

// right, settled: shares of the held-out rows, of which one without an answer is wrong; settled_last: that of the weights after the last
// epoch; lost: rows without an answer; evaluations a held-out row; solvers: on some of these rows, where each solver ends.
Json train_table(const SettlingSettings& settings, const TableRun& run, const Watch& watch);

Job job_of(const SettlingSettings& settings, const TableRun& run);

// Whether a run compares solvers.
bool compares_solvers(const TableRun& run);

}  // namespace irn::experiments
