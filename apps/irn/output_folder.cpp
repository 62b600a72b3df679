#include "apps/irn/output_folder.h"

#include "irn/base/error.h"
#include "irn/base/new_file.h"

namespace irn::app {
namespace fs = std::filesystem;

void check_output(const fs::path& folder, const std::string& marker, bool overwrite) {
  std::error_code error;
  const std::string name = "'" + folder.string() + "'";
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error)) throw Error(name + " is a file; name a folder with --out");
  if (holds_nothing(folder)) return;
  if (!fs::exists(folder / marker, error))
    throw Error(name + " holds something else; name an empty or new folder with --out");
  if (!overwrite)
    throw Error(name + " holds results: replace them with --overwrite, or name another folder with --out");
}

void make_output(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError("cannot make the folder '" + folder.string() + "': " + error.message());
}

ReadyFolder::ReadyFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  made_ = !fs::exists(folder_, error);
  make_output(folder_);
  check_writable(folder_ / "report.html");
}

ReadyFolder::~ReadyFolder() {
  std::error_code error;
  if (made_) fs::remove(folder_, error);  // which leaves a folder with anything in it
}

void check_writable(const fs::path& file) {
  std::error_code error;
  const bool special =
      fs::exists(file, error) && !fs::is_regular_file(file, error) && !fs::is_directory(file, error);
  if (!file.empty() && !special) NewFile probe(file);  // a pipe is not opened twice
}

}  // namespace irn::app
