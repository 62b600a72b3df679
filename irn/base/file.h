// Reads and writes whole files. A file is written completely or not at all (new_file.h).
// Throws irn::Error with one line that names the path. Does not make folders.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "irn/base/error.h"

namespace irn {

// A refusal by the file system (no room, no permission), not a mistake in the request.
class FileError : public Error {
 public:
  using Error::Error;
};

void write_file_atomically(const std::filesystem::path& path, std::string_view content);

std::string read_file(const std::filesystem::path& path);

}  // namespace irn
