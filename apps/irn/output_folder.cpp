#include "apps/irn/output_folder.h"

#include "irn/base/error.h"
#include "irn/base/new_file.h"

namespace irn::app {
namespace fs = std::filesystem;

void check_output(const fs::path& folder, const std::string& marker, bool overwrite) {
  std::error_code error;
  const std::string name = "'" + folder.string() + "'";
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error)) throw Error(name + " is a file; name a folder with --out");
  if (holds_nothing(folder)) return;
  if (!fs::exists(folder / marker, error))
    throw Error(name + " holds something else; name an empty or new folder with --out");
  if (!overwrite)
    throw Error(name + " holds results: replace them with --overwrite, or name another folder with --out");
}

void make_output(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError("cannot make the folder '" + folder.string() + "': " + error.message());
}

}  // namespace irn::app
