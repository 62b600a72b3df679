// From a file to samples to train on and samples to judge by.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/irn/train_settings.h"
#include "irn/data/encoded_samples.h"
#include "irn/model/model.h"

namespace irn::app {

// A table as it was read, and what is asked of it; trainings on some of its rows share it.
struct TrainingTable {
  std::shared_ptr<const Frame> frame, validation_frame;  // the latter only if --validation names a file
  EncodingOptions options;               // with the task and, of a classification, the classes of all rows
  std::string task_reason;               // why it is this task, if nobody said
  std::vector<std::string> notes;        // what to say of the columns
  std::vector<std::uint64_t> rows;       // that can be used
  std::size_t dropped = 0;               // the others, for a missing value
  std::shared_ptr<const AnyModel> from;  // that trainings start from, if --from names one
};

// Fills in `settings.target` if it is left to the table.
template <class T>
TrainingTable read_training_table(TrainSettings& settings, ThreadPool& threads);

template <class T>
struct TrainingData {
  std::shared_ptr<const Frame> frame, validation_frame;
  Encoding encoding;                                        // fitted to the training rows
  std::vector<std::string> notes;                           // what to say of the rows held out
  std::unique_ptr<EncodedSamples<T>> training, validation;  // no validation: nullptr
  TableFacts facts;                                         // of all rows
};

// Of `rows` of the table: chooses those to hold out (of each class alike), fits the encoding to the others, resolves what `settings` leave to the
// table.
template <class T>
TrainingData<T> prepare_data(TrainSettings& settings, const TrainingTable& table,
                             std::span<const std::uint64_t> rows);

// Other rows of the table as such a training's network sees them. Texts that it does not know are none of the known ones.
template <class T>
EncodedSamples<T> unseen_samples(const Frame& frame, const Encoding& encoding,
                                 std::span<const std::uint64_t> rows, const std::string& weights);

// The data of a training in a few letters: of the table and of the rows to judge by, if they are in a file of their own.
std::string fingerprint(const TrainingTable& table);

}  // namespace irn::app
