// Whole files, in and out. A file is written completely or not at all: the new content goes to a temporary file in
// the same folder, is forced to the disk and takes the name of the old one in a single step.
// Throws irn::Error with one line that names the path. Does not make folders.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "irn/base/error.h"

namespace irn {

// The file system's refusal (no room, no permission), not a mistake in what was asked for.
class FileError : public Error {
 public:
  using Error::Error;
};

// Keeps the permissions of a file it replaces and writes through symbolic links. What is no regular file (a pipe,
// /dev/stdout) is written to directly, because there is nothing to replace.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

std::string read_file(const std::filesystem::path& path);

}  // namespace irn
