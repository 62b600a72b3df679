#include "apps/irn/output_folder.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "apps/irn/output_file.h"
#include "irn/base/error.h"
#include "irn/base/new_file.h"

namespace irn::app {
namespace fs = std::filesystem;
namespace {

bool holds_others(const fs::path& folder, std::span<const std::string_view> names) {
  return std::ranges::any_of(fs::directory_iterator(folder), [&](const fs::directory_entry& entry) {
    return !half_written(entry.path()) && std::ranges::count(names, entry.path().filename().string()) == 0;
  });
}

}  // namespace

void check_output(const fs::path& folder, std::span<const std::string_view> names, bool overwrite) {
  std::error_code error;
  const std::string name = "'" + folder.string() + "'";
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error)) throw Error(name + " is a file; name a folder with --out");
  if (holds_nothing(folder)) return;
  // Other commands use the same names for their pages and settings, so one file alone proves nothing.
  const bool whole = fs::exists(folder / names.front(), error) && fs::exists(folder / names.back(), error);
  if (!whole && holds_others(folder, names))
    throw Error(name + " holds something else; name an empty or new folder with --out");
  if (whole && !overwrite)
    throw Error(name + " holds results: replace them with --overwrite, or name another folder with --out");
}

void make_output(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError("cannot make the folder '" + folder.string() + "': " + error.message());
}

void write_results(const fs::path& folder, std::span<const std::string_view> names,
                   std::span<const std::string> contents) {
  std::vector<std::unique_ptr<NewFile>> written;
  for (std::size_t k = 0; k < names.size(); ++k) {
    written.push_back(std::make_unique<NewFile>(folder / names[k]));
    written.back()->write(contents[k]);
  }
  std::error_code error;
  fs::remove(fs::weakly_canonical(folder / names.back(), error), error);
  for (const std::unique_ptr<NewFile>& file : written) file->keep();
}

ReadyFolder::ReadyFolder(fs::path folder, const std::string& command) : folder_(std::move(folder)) {
  std::error_code error;
  made_ = !fs::exists(folder_, error);
  make_output(folder_);
  lock_.emplace(folder_, command);
  check_writable(folder_ / "report.html");
}

ReadyFolder::~ReadyFolder() {
  std::error_code error;
  if (made_) fs::remove(folder_, error);  // does nothing unless the folder is empty
}

}  // namespace irn::app
