// The folder of a training: the places of its files, and checks that no other training is lost.
//   config.toml               the settings, resolved
//   checkpoint.safetensors    the state to go on from; removed when training is done
//   model.safetensors         the best weights so far
//   metrics.jsonl, .csv       one line for each epoch
//   report.html               the page
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "apps/irn/folder_lock.h"
#include "irn/train/fit.h"

namespace irn::app {

class TrainFolder {
 public:
  explicit TrainFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path config() const { return path_ / "config.toml"; }
  std::filesystem::path checkpoint() const { return path_ / "checkpoint.safetensors"; }
  std::filesystem::path model() const { return path_ / "model.safetensors"; }
  std::filesystem::path report() const { return path_ / "report.html"; }
  const std::filesystem::path& path() const { return path_; }

  // For a new training: irn::Error if the folder holds anything; a training in it may be replaced with
  // `overwrite`.
  void check_free(bool overwrite) const;
  // Makes the folder, locks and checks it, and removes the remains of a training that is replaced.
  void claim(bool overwrite);
  // For a training to continue: irn::Error if there is none, or if it is done.
  void check_resumable() const;
  // Keeps other programs from training here until this object is destroyed; irn::Error if one already does.
  void lock();

  // The log starts with these epochs; log() adds one. `held_out`: whether some rows are held out to judge by.
  void start_log(const std::vector<EpochRecord>& records, bool held_out);
  void log(const EpochRecord& record);

 private:
  std::filesystem::path path_;
  std::ofstream jsonl_, csv_;
  bool held_out_ = false;
  std::shared_ptr<FolderLock> lock_;
};

// The text as one word of a shell command.
std::string shell_word(const std::string& text);

}  // namespace irn::app
