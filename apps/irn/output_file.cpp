#include "apps/irn/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "irn/base/error.h"
#include "irn/base/new_file.h"

namespace irn::app {
namespace fs = std::filesystem;
namespace {

using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> identity(int code, const struct stat& status) {
  if (code != 0 || !S_ISREG(status.st_mode)) return {};
  return Identity{status.st_dev, status.st_ino};
}

// Empty unless it is a regular file: writing to a pipe or a device destroys nothing.
std::optional<Identity> identity_of(const fs::path& file) {
  struct stat status{};
  return identity(::stat(file.c_str(), &status), status);
}

std::optional<Identity> identity_of_input(const std::string& name) {
  struct stat status{};
  return name == "-" ? identity(::fstat(STDIN_FILENO, &status), status) : identity_of(name);
}

}  // namespace

void refuse_input(const std::string& option, const fs::path& file, const std::vector<std::string>& read) {
  const std::optional<Identity> written = identity_of(file);
  if (written &&
      std::ranges::any_of(read, [&](const auto& name) { return identity_of_input(name) == written; }))
    throw Error(option + " would write over '" + file.string() +
                "', which this command reads; name another place");
}

void check_output_file(const std::string& option, const fs::path& file, const std::vector<std::string>& read,
                       bool overwrite) {
  refuse_input(option, file, read);
  if (!overwrite && identity_of(file))
    throw Error("'" + file.string() +
                "' is there already: replace it with --overwrite, or name another file with " + option);
}

void check_writable(const fs::path& file) {
  std::error_code error;
  const bool special =
      fs::exists(file, error) && !fs::is_regular_file(file, error) && !fs::is_directory(file, error);
  if (!file.empty() && !special) NewFile probe(file);  // a pipe is not opened twice
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  const auto place = [&](const fs::path& file) {
    return fs::weakly_canonical(fs::absolute(file, error), error);
  };
  return fs::equivalent(a, b, error) || place(a) == place(b);
}

}  // namespace irn::app
