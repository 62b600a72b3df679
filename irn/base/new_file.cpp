#include "irn/base/new_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

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

constexpr std::string_view temporary_prefix = ".irn-";

// Some file systems cannot synchronise and return EINVAL or ENOTSUP; the content is written nevertheless.
bool synchronise(int fd) { return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP; }

bool lock(int fd, int how) {
  while (::flock(fd, how) != 0)
    if (errno != EINTR) return false;
  return true;
}

// Whether the open file still has this name: its writer may have renamed it, and a new file may have the
// name.
bool is_named(int fd, const std::string& name) {
  struct stat own{}, there{};
  return ::fstat(fd, &own) == 0 && ::lstat(name.c_str(), &there) == 0 && own.st_dev == there.st_dev &&
         own.st_ino == there.st_ino;
}

// Locks a new file; false if it was removed: until it is locked, another program may take it for that of a
// killed program. Without support for locks no program removes such files.
bool hold(int fd, const std::string& name) { return !lock(fd, LOCK_EX) || is_named(fd, name); }

// Finds an unused name, even if a killed run has left files. open() applies the user's mask.
int open_temporary(const fs::path& folder, std::string& name) {
  for (int attempt = 0;; ++attempt) {
    name = (folder /
            (std::string(temporary_prefix) + std::to_string(::getpid()) + "-" + std::to_string(attempt)))
               .string();
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) return fd;
    if (fd >= 0 && hold(fd, name)) return fd;
    if (fd >= 0) ::close(fd);
  }
}

void remove_if_nobodys(const fs::path& file) {
  constexpr int how = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int fd = ::open(file.c_str(), O_WRONLY | how);  // NFS locks only files open for writing
  if (fd < 0 && errno == EACCES) fd = ::open(file.c_str(), O_RDONLY | how);  // made read-only by keep_mode()
  if (fd < 0) return;
  struct stat status{};
  // The lock protects the name: a writer renames or removes its file while it holds the lock.
  if (lock(fd, LOCK_EX | LOCK_NB) && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
      is_named(fd, file.string()))
    ::unlink(file.c_str());
  ::close(fd);
}

// Clears a folder once for many files in a row: a campaign writes thousands into one folder. Uses no mutex,
// which a fork may leave locked.
void clear_before_the_first(const fs::path& folder) {
  static std::atomic<std::size_t> cleared{0};
  const std::size_t here = fs::hash_value(folder);
  if (cleared.exchange(here) != here) clear_half_written(folder);
}

bool keep_mode(int fd, const fs::path& old) {
  struct stat status{};
  return ::stat(old.c_str(), &status) != 0 || ::fchmod(fd, status.st_mode & 07777) == 0;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// After this, a power failure cannot bring the old file back. Does nothing if the folder cannot be opened.
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
    clear_before_the_first(folder_of(target_));
    fd_ = open_temporary(folder_of(target_), temporary_);
  }
  if (fd_ < 0) {
    temporary_.clear();
    fail(errno);
  }
}

NewFile::~NewFile() {
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());  // before the lock is released: until then nobody else has the name
  if (fd_ >= 0) ::close(fd_);
}

void NewFile::write(std::string_view content) {
  if (!write_all(fd_, content)) fail(errno);
}

void NewFile::keep() {
  if (temporary_.empty()) return close();
  if (!keep_mode(fd_, target_) || !synchronise(fd_)) fail(errno);
  const int second = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);  // keeps the lock, which ends with the last descriptor
  if (second < 0) fail(errno);
  if (::close(std::exchange(fd_, second)) != 0) fail(errno);  // as in close()
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  close();
  synchronise_folder(folder_of(target_));
}

// close() may be the first call that reports a full disk.
void NewFile::close() {
  if (::close(std::exchange(fd_, -1)) != 0) fail(errno);
}

void NewFile::fail(int code) const {
  throw FileError("cannot write '" + path_.string() + "': " + std::generic_category().message(code));
}

// .irn-PROCESS-NUMBER
bool half_written(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(temporary_prefix)) return false;
  const std::string_view numbers = std::string_view(name).substr(temporary_prefix.size());
  const std::size_t middle = numbers.find('-');
  const auto whole = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  return middle != numbers.npos && whole(numbers.substr(0, middle)) && whole(numbers.substr(middle + 1));
}

void clear_half_written(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (half_written(entry->path())) remove_if_nobodys(entry->path());
}

bool holds_nothing(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error) throw FileError("cannot read the folder '" + folder.string() + "': " + error.message());
  return std::ranges::all_of(entries,
                             [](const fs::directory_entry& entry) { return half_written(entry.path()); });
}

}  // namespace irn
