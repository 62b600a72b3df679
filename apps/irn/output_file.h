// A file that a command writes where its user says. One rule for all commands, before anything is computed:
//   a file that the command reads    is never written over, by whatever name or link it is called, and whatever is asked for
//   another file that is there       is replaced only with --overwrite
//   a pipe, a device                 is written to
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace irn::app {

// What --help says of --overwrite.
inline constexpr const char* overwrite_help = "Replace a file that is there already";

// irn::Error if the file is one of those that are read; "-" among these is standard input. `option` names the file in messages.
void refuse_input(const std::string& option, const std::filesystem::path& file,
                  const std::vector<std::string>& read);

// The same, and irn::Error if the file is there already, unless it may be replaced. Nothing if it has no name.
void check_output_file(const std::string& option, const std::filesystem::path& file,
                       const std::vector<std::string>& read, bool overwrite);

// irn::FileError now instead of after the work. Nothing if it has no name.
void check_writable(const std::filesystem::path& file);

// Whether two names mean one file, be it there or not.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace irn::app
