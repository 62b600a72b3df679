// A file that is written piece by piece and then exists completely or not at all. The pieces go to a
// temporary file in the same folder, which keep() forces to the disk and renames in a single step.
//   NewFile file("answers.csv");
//   file.write("a,b\n");
//   file.keep();
// Without keep() the temporary file is removed. Those that killed programs left in the folder are removed
// when the next file is written there. Throws irn::FileError with one line that names the path. Does not make
// folders.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "irn/base/file.h"

namespace irn {

class NewFile {
 public:
  // Keeps the permissions of a file that it replaces, and follows symbolic links. If the path is not a
  // regular file (a pipe, /dev/stdout), it is written to directly, because there is nothing to replace.
  explicit NewFile(const std::filesystem::path& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view content);
  // The last call: nothing may be written after it.
  void keep();

  // The path of the temporary file, for code that must remove it when the program is terminated; empty if the
  // path is written to directly.
  const std::string& temporary() const { return temporary_; }

 private:
  void close();
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_, target_;  // as given, and with links resolved
  std::string temporary_;
  int fd_ = -1;
};

// Whether a file is the temporary file of a NewFile, either being written or left by a killed program.
bool half_written(const std::filesystem::path& file);
// Removes temporary files of killed programs from a folder. A writer holds a lock on its temporary file until
// it is renamed, and the kernel releases the lock when a program ends in any way: a file that can be locked
// has no writer.
void clear_half_written(const std::filesystem::path& folder);
// Whether a folder is empty but for half-written files.
bool holds_nothing(const std::filesystem::path& folder);

}  // namespace irn
