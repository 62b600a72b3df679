#include "apps/irn/train_folder.h"

#include "irn/base/error.h"
#include "irn/base/file.h"
#include "irn/model/checkpoint.h"

namespace irn::app {
namespace fs = std::filesystem;

namespace {

void flush_or_fail(std::ofstream& file, const fs::path& path) {
  file.flush();
  if (!file) throw FileError("cannot write " + path.string() + "; is the disk full?");
}

}  // namespace

void TrainFolder::check_free(bool overwrite) const {
  std::error_code error;
  const std::string name = path_.string();
  if (fs::exists(path_, error) && !fs::is_directory(path_, error))
    throw Error("'" + name + "' is a file; name a folder with --out");
  if (fs::exists(checkpoint(), error) && !overwrite)
    throw Error("'" + name + "' holds a training that was not finished: go on with irn train --resume " +
                name + ", replace it with --overwrite, or name another folder with --out");
  if (fs::exists(model(), error) && !overwrite)
    throw Error("'" + name +
                "' holds a finished training: replace it with --overwrite, or name another folder with "
                "--out");
  if (fs::is_directory(path_, error) && !fs::is_empty(path_, error) && !fs::exists(config(), error))
    throw Error("'" + name + "' is not a folder of irn train and not empty; name another with --out");
}

void TrainFolder::claim() const {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw FileError("cannot make the folder '" + path_.string() + "': " + error.message());
  for (const fs::path& old : {checkpoint(), model(), report()}) fs::remove(old, error);
}

void TrainFolder::check_resumable() const {
  std::error_code error;
  const std::string name = path_.string();
  if (!fs::exists(config(), error))
    throw Error("'" + name + "' is not a folder of irn train: it has no config.toml");
  if (fs::exists(checkpoint(), error)) return;
  if (fs::exists(model(), error))
    throw Error("the training in '" + name + "' is done: there is nothing to resume");
}

void TrainFolder::start_log(const std::vector<EpochRecord>& records) {
  std::string lines, table = csv_header_line();
  for (const EpochRecord& record : records) lines += to_json_line(record), table += to_csv_line(record);
  write_file_atomically(path_ / "metrics.jsonl", lines);
  write_file_atomically(path_ / "metrics.csv", table);
  jsonl_.open(path_ / "metrics.jsonl", std::ios::app);
  csv_.open(path_ / "metrics.csv", std::ios::app);
}

void TrainFolder::log(const EpochRecord& record) {
  jsonl_ << to_json_line(record);
  csv_ << to_csv_line(record);
  flush_or_fail(jsonl_, path_ / "metrics.jsonl");
  flush_or_fail(csv_, path_ / "metrics.csv");
}

fs::path model_file(const std::string& argument) {
  std::error_code error;
  return fs::is_directory(argument, error) ? TrainFolder(argument).model() : fs::path(argument);
}

}  // namespace irn::app
