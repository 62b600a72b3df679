// From a file to samples to train on and samples to judge by.
#pragma once

#include <memory>
#include <optional>

#include "apps/irn/train_settings.h"
#include "irn/data/encoded_samples.h"

namespace irn::app {

template <class T>
struct TrainingData {
  std::unique_ptr<Frame> frame, validation_frame;           // the latter only if a file of its own is named
  Encoding encoding;                                        // fitted to all rows of the table
  std::string task_reason;                                  // why it is this task, if nobody said
  std::vector<std::string> notes;                           // what to say of the columns
  std::unique_ptr<EncodedSamples<T>> training, validation;  // no validation: nullptr
  std::size_t dropped = 0;                                  // rows of the table, for a missing value
  TableFacts facts;                                         // of all others
};

// Reads the table, chooses the rows to hold out (of each class alike), fits the encoding. Fills in `settings.target` if
// it is left to the table.
template <class T>
TrainingData<T> prepare_data(TrainSettings& settings, ThreadPool& threads);

// The data of a training in a few letters: of the table and of the rows to judge by, if they are in a file of their own.
template <class T>
std::string fingerprint(const TrainingData<T>& data);

}  // namespace irn::app
