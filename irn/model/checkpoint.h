// An unfinished training, in one safetensors file: everything besides the data and the settings that its
// result depends on.
//   metadata   irn.checkpoint (the version), precision, architecture, encoding, configuration, data, fit
//              (JSON)
//   tensors    parameters, optimiser.first, optimiser.second, best; average, if there is one
// The file is written whole or not at all. A training that continues from it ends with the same bits as one
// that was never stopped. Refuses files of a newer version, damaged files, and parts that do not fit each
// other (irn::DataError).
#pragma once

#include <filesystem>
#include <string>

#include "irn/data/encoding.h"
#include "irn/train/fit.h"

namespace irn {

template <class T>
struct Checkpoint {
  std::string architecture;   // text form
  std::string configuration;  // TOML text of the run
  Encoding encoding;
  std::string data;  // tells one table from another, see fingerprint()
  FitState<T> fit;
};

template <class T>
void write_checkpoint(const std::filesystem::path& path, const Checkpoint<T>& checkpoint);
// Throws irn::DataError also for a checkpoint in the other precision.
template <class T>
Checkpoint<T> read_checkpoint(const std::filesystem::path& path);

// The same in memory; `source` is the name of the file in messages.
template <class T>
std::string to_bytes(const Checkpoint<T>& checkpoint);
template <class T>
Checkpoint<T> checkpoint_from_bytes(std::string_view bytes, std::string_view source);

// The epochs as a log: one line of JSON each ("null" in place of a number that is not finite), or CSV with
// its header. If no rows were `held_out`, the results on the training rows at the end of an epoch are called
// training_loss, training_settled and training_score instead of validation_loss, ...
std::string to_json_line(const EpochRecord& record, bool held_out);
std::string csv_header_line(bool held_out);
std::string to_csv_line(const EpochRecord& record);

}  // namespace irn
