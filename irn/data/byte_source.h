// A source of the bytes of a data file: a file, standard input, memory. Readers ask for blocks and never hold
// a whole file. Throws irn::DataError with one line that names the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace irn {

class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // For messages.
  const std::string& name() const { return name_; }
  // Fewer bytes than asked for mean that these were the last.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  // The bytes available now, at most `size`; waits only for the first. 0 at the end.
  virtual std::size_t read_some(char* out, std::size_t size) { return read(out, size); }
  // Returns false, and changes nothing, if it cannot. seek(0) begins again.
  virtual bool seek(std::uint64_t offset) = 0;
  // There will be no seek(0): what was kept for it may be freed.
  virtual void forget() {}
  // In bytes, if known beforehand.
  virtual std::optional<std::uint64_t> size() const = 0;

 private:
  std::string name_;
};

// "-" is standard input. A pipe can begin again until more than `pipe_memory` bytes were read.
inline constexpr std::size_t pipe_memory = std::size_t{64} << 20;
std::unique_ptr<ByteSource> open_source(const std::string& path);

// Borrows the bytes.
class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes) : ByteSource(std::move(name)), bytes_(bytes) {}
  std::size_t read(char* out, std::size_t size) override;
  bool seek(std::uint64_t offset) override;
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

// Reads exactly `size` bytes, or throws irn::DataError: "x.npy: truncated".
void read_exactly(ByteSource& source, char* out, std::size_t size);
// The first `size` bytes, fewer if there are no more. Leaves the source at its beginning.
std::string peek(ByteSource& source, std::size_t size);

}  // namespace irn
