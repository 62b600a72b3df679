// The folder of a training: where its files are, and that none of another is lost.
//   config.toml               the settings, resolved
//   checkpoint.safetensors    the state to go on from; removed when training is done
//   model.safetensors         the best weights so far
//   metrics.jsonl, .csv       a line an epoch
//   report.html               the page
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

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

  // For a new training: irn::Error if the folder already holds one, unless it may be replaced, or anything else.
  void check_free(bool overwrite) const;
  // Makes the folder, locks and checks it, and removes what is left of a training that is replaced.
  void claim(bool overwrite);
  // For one to go on with: irn::Error if there is none, or if it is done.
  void check_resumable() const;
  // No other program trains here until this object is gone: irn::Error if one does.
  void lock();

  // The log starts with these epochs; log() adds one. `held_out`: whether some rows are held out to judge by.
  void start_log(const std::vector<EpochRecord>& records, bool held_out);
  void log(const EpochRecord& record);

 private:
  std::filesystem::path path_;
  std::ofstream jsonl_, csv_;
  bool held_out_ = false;
  struct Lock;
  std::shared_ptr<Lock> lock_;
};

// The text as one word of a shell command.
std::string shell_word(const std::string& text);

}  // namespace irn::app
