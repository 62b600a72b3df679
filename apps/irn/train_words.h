// A training in sentences: what is going to happen, how it ended, and what to try when it went wrong.
#pragma once

#include <string>
#include <vector>

#include "apps/irn/train_progress.h"
#include "apps/irn/train_run.h"

namespace irn::app {

// What may be a mistake in the data: in its columns, and in the rows that are trained on.
template <class T>
std::vector<std::string> notes_on(const TrainingTable& table, const TrainRun<T>& run);

// The table, the task, the network, the training, and where it goes on from.
template <class T>
void introduce(const TrainingTable& table, const TrainRun<T>& run, TrainProgress& progress);

// "after all 300 epochs".
template <class T>
std::string outcome_words(const Fit<T>& fit);

// What the best weights reached, where its page is, and what is to be known of rows without an answer.
template <class T>
void tell_reached(const TrainRun<T>& run, const Assessment& assessment, const std::string& report,
                  TrainProgress& progress);

// The epoch in which it went wrong, also one that has no record.
template <class T>
std::size_t last_epoch(const Fit<T>& fit);

// One line: what went wrong, what is kept in the file `model`, what to try.
template <class T>
std::string divergence_words(const Fit<T>& fit, const std::string& model);

}  // namespace irn::app
