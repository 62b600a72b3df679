// A training under way, in one safetensors file: everything that its end depends on besides the data and the settings.
//   metadata   irn.checkpoint (the version), precision, architecture, encoding, configuration, data, fit (JSON)
//   tensors    parameters, optimiser.first, optimiser.second, best; average, if there is one
// Written whole or not at all; a training that goes on from it ends with the same bits as one that was never stopped.
// Refuses files of a newer version, damaged ones, and parts that do not fit each other (irn::DataError).
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
// Throws irn::DataError, too, for a checkpoint in the other precision.
template <class T>
Checkpoint<T> read_checkpoint(const std::filesystem::path& path);

// The same in memory; `source` is what messages call the file.
template <class T>
std::string to_bytes(const Checkpoint<T>& checkpoint);
template <class T>
Checkpoint<T> checkpoint_from_bytes(std::string_view bytes, std::string_view source);

// The epochs as a log: a line of JSON each ("null" where there is no number), or CSV with its header. Where no rows were `held_out`, what
// the training rows say at the end of an epoch is called training_loss, training_settled and training_score, not validation_loss, ...
std::string to_json_line(const EpochRecord& record, bool held_out);
std::string csv_header_line(bool held_out);
std::string to_csv_line(const EpochRecord& record);

}  // namespace irn
