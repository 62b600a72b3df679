// A file that a command writes at the user's request. One rule for all commands, applied before anything is
// computed:
//   a file that the command reads    is never overwritten, under any name or link, whatever the options
//   another file that exists         is replaced only with --overwrite
//   a pipe, a device                 is written to
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace irn::app {

// What --help says of --overwrite.
inline constexpr const char* overwrite_help = "Replace a file that is there already";

// irn::Error if the file is one of `read`, in which "-" is standard input. `option` names the file in
// messages.
void refuse_input(const std::string& option, const std::filesystem::path& file,
                  const std::vector<std::string>& read);

// The same, and irn::Error if the file exists, unless it may be replaced. Does nothing if the name is empty.
void check_output_file(const std::string& option, const std::filesystem::path& file,
                       const std::vector<std::string>& read, bool overwrite);

// Throws irn::FileError now instead of after the work. Does nothing if the name is empty.
void check_writable(const std::filesystem::path& file);

// Whether two names mean one file, whether or not it exists.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace irn::app
