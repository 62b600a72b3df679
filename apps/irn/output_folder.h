// A folder for results that are written at once. They appear whole or not at all, and are not mixed with
// anything else.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apps/irn/folder_lock.h"

namespace irn::app {

// irn::Error if the folder is a file, if it holds anything but these results, or if it holds these results
// and they must not be replaced. An incomplete set, left by a program that was ended while it wrote, does not
// count as results: the last of the names is missing.
void check_output(const std::filesystem::path& folder, std::span<const std::string_view> names,
                  bool overwrite);
// irn::FileError if the folder cannot be made.
void make_output(const std::filesystem::path& folder);
// No file takes its name before all contents are written, and the old results are invalid before the first is
// replaced.
void write_results(const std::filesystem::path& folder, std::span<const std::string_view> names,
                   std::span<const std::string> contents);

// A folder for results that take long: it is made before the work begins, or irn::FileError is thrown. If it
// was made here and is still empty at the end, it is removed. Locked for this command meanwhile.
class ReadyFolder {
 public:
  ReadyFolder(std::filesystem::path folder, const std::string& command);
  ReadyFolder(const ReadyFolder&) = delete;
  ReadyFolder& operator=(const ReadyFolder&) = delete;
  ~ReadyFolder();

 private:
  std::filesystem::path folder_;
  bool made_ = false;
  std::optional<FolderLock> lock_;
};

}  // namespace irn::app
