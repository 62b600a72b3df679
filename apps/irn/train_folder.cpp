#include "apps/irn/train_folder.h"

#include "apps/irn/folder_lock.h"
#include "irn/base/error.h"
#include "irn/base/new_file.h"
#include "irn/model/checkpoint.h"

namespace irn::app {
namespace fs = std::filesystem;

namespace {

void flush_or_fail(std::ofstream& file, const fs::path& path) {
  file.flush();
  if (!file) throw FileError("cannot write " + path.string() + "; is the disk full?");
}

// Whether it holds anything that irn train does not write. A run killed at its very beginning leaves no
// settings.
bool holds_others(const fs::path& folder) {
  const TrainFolder ours(folder);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const fs::path& path = entry.path();
    if (!half_written(path) && path != ours.config() && path != ours.checkpoint() && path != ours.model() &&
        path != ours.report() && path.stem() != "metrics")
      return true;
  }
  return false;
}

}  // namespace

void TrainFolder::check_free(bool overwrite) const {
  std::error_code error;
  const std::string name = path_.string();
  if (fs::exists(path_, error) && !fs::is_directory(path_, error))
    throw Error("'" + name + "' is a file; name a folder with --out");
  if (fs::exists(checkpoint(), error) && !overwrite)
    throw Error("'" + name + "' holds a training that was not finished: go on with irn train --resume " +
                shell_word(name) + ", replace it with --overwrite, or name another folder with --out");
  if (fs::exists(model(), error) && !overwrite)
    throw Error("'" + name +
                "' holds a finished training: replace it with --overwrite, or name another folder with "
                "--out");
  if (fs::is_directory(path_, error) && !fs::exists(checkpoint(), error) && !fs::exists(model(), error) &&
      holds_others(path_))
    throw Error("'" + name + "' is not a folder of irn train and not empty; name another with --out");
}

void TrainFolder::lock() {
  lock_.reset();
  lock_ = std::make_shared<FolderLock>(path_, "irn train");
}

void TrainFolder::claim(bool overwrite) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw FileError("cannot make the folder '" + path_.string() + "': " + error.message());
  lock();
  check_free(overwrite);  // again: another training may have ended here while the data were read
  // The settings first: without them, remains are not taken for a training to continue.
  for (const fs::path& old : {config(), checkpoint(), model(), report()}) fs::remove(old, error);
}

void TrainFolder::check_resumable() const {
  std::error_code error;
  const std::string name = path_.string();
  if (!fs::exists(config(), error) && fs::is_directory(path_, error) && !holds_others(path_))
    throw Error("the training in '" + name +
                "' was stopped before it had begun: there is nothing to resume; start it again");
  if (!fs::exists(config(), error))
    throw Error("'" + name + "' is not a folder of irn train: it has no config.toml");
  if (fs::exists(checkpoint(), error)) return;
  if (fs::exists(model(), error) && fs::exists(report(), error))  // the page is written last
    throw Error("the training in '" + name + "' is done: there is nothing to resume; irn train --from " +
                shell_word(name) + " goes on with its weights");
}

void TrainFolder::start_log(const std::vector<EpochRecord>& records, bool held_out) {
  held_out_ = held_out;
  std::string lines, table = csv_header_line(held_out);
  for (const EpochRecord& record : records)
    lines += to_json_line(record, held_out), table += to_csv_line(record);
  write_file_atomically(path_ / "metrics.jsonl", lines);
  write_file_atomically(path_ / "metrics.csv", table);
  jsonl_.open(path_ / "metrics.jsonl", std::ios::app);
  csv_.open(path_ / "metrics.csv", std::ios::app);
}

void TrainFolder::log(const EpochRecord& record) {
  jsonl_ << to_json_line(record, held_out_);
  csv_ << to_csv_line(record);
  flush_or_fail(jsonl_, path_ / "metrics.jsonl");
  flush_or_fail(csv_, path_ / "metrics.csv");
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+=@%";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

}  // namespace irn::app
