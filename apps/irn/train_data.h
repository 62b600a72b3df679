// From a table to samples for training and samples for judging.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/irn/training_table.h"
#include "irn/data/encoded_samples.h"

namespace irn::app {

template <class T>
struct TrainingData {
  std::shared_ptr<const Frame> frame, validation_frame;
  Encoding encoding;                                        // fitted to the training rows
  std::vector<std::string> notes;                           // on the rows held out
  std::unique_ptr<EncodedSamples<T>> training, validation;  // validation may be nullptr
  TableFacts facts;                                         // of all rows
};

// Works on `rows` of the table: chooses those to hold out (of each class alike), fits the encoding to the
// others, and resolves settings left to the table.
template <class T>
TrainingData<T> prepare_data(TrainSettings& settings, const TrainingTable& table,
                             std::span<const std::uint64_t> rows);

// Other rows of the table as the trained network sees them. Texts that it does not know count as none of the
// known ones.
template <class T>
EncodedSamples<T> unseen_samples(const Frame& frame, const Encoding& encoding,
                                 std::span<const std::uint64_t> rows, const std::string& weights);

}  // namespace irn::app
