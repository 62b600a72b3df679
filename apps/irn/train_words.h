// A training in sentences: what will happen, how it ended, and what to try if it went wrong.
#pragma once

#include <string>
#include <vector>

#include "apps/irn/train_progress.h"
#include "apps/irn/train_run.h"

namespace irn::app {

// Possible mistakes in the data: in the columns, and in the training rows.
template <class T>
std::vector<std::string> notes_on(const TrainingTable& table, const TrainRun<T>& run);

// Prints the table, the task, the network, the training, and where a resumed one continues.
template <class T>
void introduce(const TrainingTable& table, const TrainRun<T>& run, TrainProgress& progress);

// "after all 300 epochs".
template <class T>
std::string outcome_words(const Fit<T>& fit);

// Prints what the best weights reached, where the page is, and what to know about rows without an answer.
template <class T>
void tell_reached(const TrainRun<T>& run, const Assessment& assessment, const std::string& report,
                  TrainProgress& progress);

// The last epoch, also one that went wrong and has no record.
template <class T>
std::size_t last_epoch(const Fit<T>& fit);

// One line: what went wrong, what the file `model` keeps, what to try.
template <class T>
std::string divergence_words(const Fit<T>& fit, const std::string& model);

}  // namespace irn::app
