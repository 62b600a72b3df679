// A folder for results that are written at once: refuses to mix them with anything else.
#pragma once

#include <filesystem>
#include <string>

namespace irn::app {

// irn::Error if the folder is a file or holds anything but such results, which `marker` is one of; or those, unless they may be replaced.
void check_output(const std::filesystem::path& folder, const std::string& marker, bool overwrite);
// irn::FileError if it cannot be made.
void make_output(const std::filesystem::path& folder);

}  // namespace irn::app
