// One training of one method on one generated table, as `irn train` would do it: Adam, rates along a cosine,
// gradients clipped; the epoch that does best on the choosing rows is kept.
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

// right, settled: shares of the held-out rows (a row without an answer is wrong); settled_last: the share
// settled with the weights after the last epoch; lost: rows without an answer; evaluations: mean over the
// held-out rows; solvers: where each solver ends on some of these rows.
Json train_table(const SettlingSettings& settings, const TableRun& run, const Watch& watch);

Job job_of(const SettlingSettings& settings, const TableRun& run);

// Whether a run compares solvers.
bool compares_solvers(const TableRun& run);

}  // namespace irn::experiments
