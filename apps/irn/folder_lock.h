// No two programs work in one folder at a time.
#pragma once

#include <filesystem>
#include <string>

namespace irn::app {

class FolderLock {
 public:
  // Throws irn::Error if another program holds the lock; `command` says which one that is, as in "irn train".
  FolderLock(const std::filesystem::path& folder, const std::string& command);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_;
};

}  // namespace irn::app
