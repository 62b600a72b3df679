#include "irn/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "irn/base/new_file.h"

namespace irn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_read(const fs::path& path, int code) {
  throw FileError("cannot read '" + path.string() + "': " + std::generic_category().message(code));
}

// A file descriptor that is closed at the end of its scope.
struct Descriptor {
  explicit Descriptor(int opened) : fd(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  int fd;
};

}  // namespace

void write_file_atomically(const fs::path& path, std::string_view content) {
  NewFile file(path);
  file.write(content);
  file.keep();
}

std::string read_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) fail_to_read(path, errno);
  std::string content;
  constexpr std::size_t kBlock = 1 << 18;
  struct stat status{};
  if (::fstat(file.fd, &status) == 0 && S_ISREG(status.st_mode)) {
    content.reserve(static_cast<std::size_t>(status.st_size) + kBlock);  // the last read finds the end
  }
  for (std::size_t size = 0;;) {
    content.resize(size + kBlock);
    const ssize_t got = ::read(file.fd, content.data() + size, kBlock);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(path, errno);
    size += static_cast<std::size_t>(got);
    content.resize(size);
    if (got == 0) return content;
  }
}

}  // namespace irn
