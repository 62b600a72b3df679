// From a file to samples to train on and samples to judge by.
#pragma once

#include <memory>
#include <optional>

#include "apps/irn/train_settings.h"
#include "irn/data/encoded_samples.h"

namespace irn::app {

template <class T>
struct TrainingData {
  std::unique_ptr<Frame<T>> frame, validation_frame;        // the latter only if a file of its own is named
  Encoding encoding;                                        // fitted to all rows of the table
  std::string task_reason;                                  // why it is this task, if nobody said
  std::unique_ptr<EncodedSamples<T>> training, validation;  // no validation: nullptr
};

// Reads the table, chooses the rows to hold out (of each class alike), fits the encoding. Fills in `settings.target` if
// it is left to the table.
template <class T>
TrainingData<T> prepare_data(TrainSettings& settings, ThreadPool& threads);

// Rows 0 to rows-1, split in two: of every group of equal `strata` (or of all rows, if it is empty) the share `held_out`
// goes to the second. A pure function of its arguments; each part is in rising order.
struct Split {
  std::vector<std::uint64_t> training, held_out;
};
Split split_rows(std::size_t rows, double held_out, std::uint64_t seed, std::span<const double> strata);

}  // namespace irn::app
