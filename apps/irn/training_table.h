// The table of a training, as it was read, and the meaning of its columns.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/irn/train_settings.h"
#include "irn/model/model.h"

namespace irn::app {

// A table as it was read, and what is to be learnt from it; trainings on some of its rows share it.
struct TrainingTable {
  std::shared_ptr<const Frame> frame, validation_frame;  // the latter only if --validation names a file
  // With the task and, for classification, the classes of all rows.
  EncodingOptions options;
  std::string task_reason;               // why it is this task, if no option set it
  std::vector<std::string> notes;        // possible mistakes in the columns
  std::vector<std::string> taken;        // what the columns were taken for
  std::vector<std::uint64_t> rows;       // the rows that can be used
  std::size_t dropped = 0;               // rows left out for a missing value
  std::shared_ptr<const AnyModel> from;  // the model that trainings start from, if --from names one
};

// Fills in `settings.target` if it is left to the table.
template <class T>
TrainingTable read_training_table(TrainSettings& settings, ThreadPool& threads);

// How rows of the table become inputs: fitted to these rows, or as in the model that training starts from.
Encoding encoding_for(const TrainSettings& settings, const TrainingTable& table,
                      std::span<const std::uint64_t> rows);

// A few letters that identify the data of a training: the table, and the file of the rows that judge, if
// there is one.
std::string fingerprint(const TrainingTable& table);

}  // namespace irn::app
