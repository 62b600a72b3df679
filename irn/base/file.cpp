#include "irn/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "irn/base/error.h"

namespace irn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view what, const fs::path& path, int code) {
  throw FileError(std::string(what) + " '" + path.string() + "': " + std::generic_category().message(code));
}

// A descriptor that is closed on every way out; `close` reports what a plain destructor would hide.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  int close() {
    const int fd = fd_;
    fd_ = -1;
    return fd < 0 ? 0 : ::close(fd);
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Some file systems cannot synchronise and say so with EINVAL; the content is written all the same.
bool synchronise(int fd) { return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP; }

// A name of its own, even where an earlier run was killed and left one behind. `open` applies the user's mask.
int open_temporary(const fs::path& folder, std::string& name) {
  for (int attempt = 0;; ++attempt) {
    name = (folder / (".irn-" + std::to_string(::getpid()) + "-" + std::to_string(attempt))).string();
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

bool keep_mode(int fd, const fs::path& old) {
  struct stat status{};
  return ::stat(old.c_str(), &status) != 0 || ::fchmod(fd, status.st_mode & 07777) == 0;
}

void write_directly(const fs::path& path, std::string_view content) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), content) || file.close() != 0)
    fail("cannot write", path, errno);
}

// A power cut after this cannot bring the old file back. A folder that cannot be opened has no say in that.
void synchronise_folder(const fs::path& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) synchronise(file.get());
}

void replace(const fs::path& target, const fs::path& path, std::string_view content) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::string temporary;
  Descriptor file(open_temporary(folder, temporary));
  if (file.get() < 0) fail("cannot write", path, errno);
  const bool written = write_all(file.get(), content) && keep_mode(file.get(), target) &&
                       synchronise(file.get()) && file.close() == 0 &&
                       ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!written) {
    const int code = errno;
    ::unlink(temporary.c_str());
    fail("cannot write", path, code);
  }
  synchronise_folder(folder);
}

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view content) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (fs::is_directory(status)) fail("cannot write", path, EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_directly(path, content);
  const fs::path target = fs::weakly_canonical(path, code);
  replace(code || target.empty() ? path : target, path, content);
}

std::string read_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("cannot read", path, errno);
  std::string content;
  constexpr std::size_t kBlock = 1 << 18;
  struct stat status{};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) {
    content.reserve(static_cast<std::size_t>(status.st_size) + kBlock);  // the last read finds the end
  }
  for (std::size_t size = 0;;) {
    content.resize(size + kBlock);
    const ssize_t got = ::read(file.get(), content.data() + size, kBlock);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", path, errno);
    size += static_cast<std::size_t>(got);
    content.resize(size);
    if (got == 0) return content;
  }
}

}  // namespace irn
