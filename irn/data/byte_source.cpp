#include "irn/data/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "irn/data/frame.h"

namespace irn {
namespace {

[[noreturn]] void fail(const std::string& name, int code) {
  throw DataError("cannot read '" + name + "': " + std::generic_category().message(code));
}

// A file descriptor that is closed at the end of its scope unless it is standard input.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Descriptor() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// Reads instead of mapping: a copy out of the page cache costs a few percent of parsing, read() works for
// pipes, and a file that is cut short meanwhile is an error and not a signal.
class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(std::string name, Descriptor file) : ByteSource(std::move(name)), file_(std::move(file)) {}

  std::size_t read(char* out, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const std::size_t got = DescriptorSource::read_some(out + done, size - done);
      if (got == 0) break;
      done += got;
    }
    return done;
  }
  std::size_t read_some(char* out, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(file_.get(), out, size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(name(), errno);
      return static_cast<std::size_t>(got);
    }
  }

 protected:
  const Descriptor file_;
};

class RegularFile : public DescriptorSource {
 public:
  RegularFile(std::string name, Descriptor file, std::uint64_t start, std::uint64_t end)
      : DescriptorSource(std::move(name), std::move(file)),
        start_(start),
        size_(end - std::min(start, end)) {}

  bool seek(std::uint64_t offset) override {
    return offset <= size_ && ::lseek(file_.get(), static_cast<off_t>(start_ + offset), SEEK_SET) >= 0;
  }
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  const std::uint64_t start_;  // where standard input was: it may begin in the middle of a file
  const std::uint64_t size_;
};

// Keeps what it read, up to a limit, so that it can begin again.
class Pipe : public DescriptorSource {
 public:
  using DescriptorSource::DescriptorSource;

  std::size_t read(char* out, std::size_t size) override {
    const std::size_t old = std::min(size, kept_.size() - position_);
    std::memcpy(out, kept_.data() + position_, old);
    position_ += old;
    const std::size_t fresh = old < size ? DescriptorSource::read(out + old, size - old) : 0;
    keep({out + old, fresh});
    return old + fresh;
  }
  std::size_t read_some(char* out, std::size_t size) override {
    if (position_ < kept_.size()) return read(out, std::min(size, kept_.size() - position_));
    const std::size_t fresh = DescriptorSource::read_some(out, size);
    keep({out, fresh});
    return fresh;
  }
  bool seek(std::uint64_t offset) override {
    if (!keeping_ || offset > kept_.size()) return false;
    position_ = offset;
    return true;
  }
  void forget() override {
    keeping_ = false;
    kept_.erase(0, std::exchange(position_, 0));
  }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }

 private:
  void keep(std::string_view fresh) {
    keeping_ = keeping_ && kept_.size() + fresh.size() <= pipe_memory;
    if (keeping_) {
      kept_ += fresh;
      position_ += fresh.size();  // fresh bytes come only after all kept ones were read
    } else if (position_ == kept_.size()) {
      kept_ = {};
      position_ = 0;
    }
  }

  bool keeping_ = true;
  std::string kept_;
  std::size_t position_ = 0;  // in kept_
};

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  Descriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail(name, errno);
  if (S_ISDIR(status.st_mode)) fail(name, EISDIR);
  const off_t start = S_ISREG(status.st_mode) ? ::lseek(file.get(), 0, SEEK_CUR) : -1;
  if (start < 0) return std::make_unique<Pipe>(name, std::move(file));
  return std::make_unique<RegularFile>(name, std::move(file), start, status.st_size);
}

std::size_t MemorySource::read(char* out, std::size_t size) {
  const std::size_t count = std::min(size, bytes_.size() - position_);
  if (count > 0) std::memcpy(out, bytes_.data() + position_, count);
  position_ += count;
  return count;
}

bool MemorySource::seek(std::uint64_t offset) {
  if (offset > bytes_.size()) return false;
  position_ = static_cast<std::size_t>(offset);
  return true;
}

void read_exactly(ByteSource& source, char* out, std::size_t size) {
  if (source.read(out, size) != size)
    throw DataError(source.name() + ": truncated; copy or download it again");
}

std::string peek(ByteSource& source, std::size_t size) {
  std::string bytes(size, '\0');
  bytes.resize(source.read(bytes.data(), size));
  if (!source.seek(0)) throw DataError("cannot read '" + source.name() + "' from its beginning");
  return bytes;
}

}  // namespace irn
