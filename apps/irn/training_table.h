// The table that is trained on, as it was read, and how its columns are meant.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/irn/train_settings.h"
#include "irn/model/model.h"

namespace irn::app {

// A table as it was read, and what is asked of it; trainings on some of its rows share it.
struct TrainingTable {
  std::shared_ptr<const Frame> frame, validation_frame;  // the latter only if --validation names a file
  EncodingOptions options;               // with the task and, of a classification, the classes of all rows
  std::string task_reason;               // why it is this task, if nobody said
  std::vector<std::string> notes;        // what may be a mistake in the columns
  std::vector<std::string> taken;        // what columns were taken for
  std::vector<std::uint64_t> rows;       // that can be used
  std::size_t dropped = 0;               // the others, for a missing value
  std::shared_ptr<const AnyModel> from;  // that trainings start from, if --from names one
};

// Fills in `settings.target` if it is left to the table.
template <class T>
TrainingTable read_training_table(TrainSettings& settings, ThreadPool& threads);

// How rows of it become inputs: fitted to them, or as the model has it that training starts from.
Encoding encoding_for(const TrainSettings& settings, const TrainingTable& table,
                      std::span<const std::uint64_t> rows);

// The data of a training in a few letters: of the table and of the rows to judge by, if they are in a file of their own.
std::string fingerprint(const TrainingTable& table);

}  // namespace irn::app
