// A folder for results that are written at once: refuses to mix them with anything else.
#pragma once

#include <filesystem>
#include <string>

namespace irn::app {

// irn::Error if the folder is a file or holds anything but such results, which `marker` is one of; or those, unless they may be replaced.
void check_output(const std::filesystem::path& folder, const std::string& marker, bool overwrite);
// irn::FileError if it cannot be made.
void make_output(const std::filesystem::path& folder);

// A folder for results that take long: made, or irn::FileError, before the work begins. One that was made here and is empty in the end goes again.
class ReadyFolder {
 public:
  explicit ReadyFolder(std::filesystem::path folder);
  ReadyFolder(const ReadyFolder&) = delete;
  ReadyFolder& operator=(const ReadyFolder&) = delete;
  ~ReadyFolder();

 private:
  std::filesystem::path folder_;
  bool made_ = false;
};

// The same for a single file: irn::FileError now instead of after the work. Nothing if it has no name.
void check_writable(const std::filesystem::path& file);

}  // namespace irn::app
