// A folder for results that are written at once: refuses to mix them with anything else. They are there whole or not at all.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace irn::app {

// irn::Error if the folder is a file or holds anything but such results; or those, unless they may be replaced. What was left by a program that was
// ended while it wrote them is none: the last of the names is missing.
void check_output(const std::filesystem::path& folder, std::span<const std::string_view> names,
                  bool overwrite);
// irn::FileError if it cannot be made.
void make_output(const std::filesystem::path& folder);
// No file takes its name before there was room for all of them, and old ones stop being a result before the first is replaced.
void write_results(const std::filesystem::path& folder, std::span<const std::string_view> names,
                   std::span<const std::string> contents);

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

}  // namespace irn::app
