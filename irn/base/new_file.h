// A file that is written piece by piece and there whole or not at all: the pieces go to a temporary file in the same folder,
// which is forced to the disk and takes the name in a single step.
//   NewFile file("answers.csv");
//   file.write("a,b\n");
//   file.keep();
// What is not kept is removed again; what a killed program left in the folder goes with the next file that is written there. Throws irn::FileError with one line that names the path. Does not make folders.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "irn/base/file.h"

namespace irn {

class NewFile {
 public:
  // Keeps the permissions of a file it replaces and writes through symbolic links. What is no regular file (a pipe,
  // /dev/stdout) is written to directly, because there is nothing to replace.
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view content);
  // Nothing is written after this.
  void keep();

  // For whoever must remove it when the program is ended at once; empty if it is written to directly.
  const std::string& temporary() const { return temporary_; }

 private:
  void close();
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_, target_;  // as it was named, and without links
  std::string temporary_;
  int fd_ = -1;
};

// Whether it is the temporary file of a NewFile: of one that is being written, or of a program that was killed.
bool half_written(const std::filesystem::path& file);
// Removes those of killed programs from a folder. A writer holds a lock on its temporary file until that has its name, and the kernel takes
// it from a program that ends, however it ends: what can be locked is nobody's.
void clear_half_written(const std::filesystem::path& folder);
// Whether a folder is empty but for half-written files.
bool holds_nothing(const std::filesystem::path& folder);

}  // namespace irn
