#include "irn/base/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace irn {
namespace {

namespace fs = std::filesystem;

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

constexpr const char* temporary_prefix = ".irn-";

// Some file systems cannot synchronise and say so with EINVAL; the content is written all the same.
bool synchronise(int fd) { return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP; }

// A name of its own, even where an earlier run was killed and left one behind. `open` applies the user's mask.
int open_temporary(const fs::path& folder, std::string& name) {
  for (int attempt = 0;; ++attempt) {
    name =
        (folder / (temporary_prefix + std::to_string(::getpid()) + "-" + std::to_string(attempt))).string();
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

bool keep_mode(int fd, const fs::path& old) {
  struct stat status{};
  return ::stat(old.c_str(), &status) != 0 || ::fchmod(fd, status.st_mode & 07777) == 0;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// A power cut after this cannot bring the old file back. A folder that cannot be opened has no say in that.
void synchronise_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  synchronise(fd);
  ::close(fd);
}

}  // namespace

NewFile::NewFile(const fs::path& path) : path_(path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (fs::is_directory(status)) fail(EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    target_ = fs::weakly_canonical(path, code);
    if (code || target_.empty()) target_ = path;
    fd_ = open_temporary(folder_of(target_), temporary_);
  }
  if (fd_ < 0) {
    temporary_.clear();
    fail(errno);
  }
}

NewFile::~NewFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void NewFile::write(std::string_view content) {
  if (!write_all(fd_, content)) fail(errno);
}

void NewFile::keep() {
  const bool whole = temporary_.empty() || (keep_mode(fd_, target_) && synchronise(fd_));
  if (!whole) fail(errno);
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail(errno);  // which may be the first to say that the disk is full
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  synchronise_folder(folder_of(target_));
}

void NewFile::fail(int code) const {
  throw FileError("cannot write '" + path_.string() + "': " + std::generic_category().message(code));
}

bool half_written(const fs::path& file) { return file.filename().string().starts_with(temporary_prefix); }

bool holds_nothing(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error) throw FileError("cannot read the folder '" + folder.string() + "': " + error.message());
  return std::ranges::all_of(entries,
                             [](const fs::directory_entry& entry) { return half_written(entry.path()); });
}

}  // namespace irn
