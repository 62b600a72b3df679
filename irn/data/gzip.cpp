#include "irn/data/gzip.h"

#include <algorithm>
#include <utility>

#include "irn/data/inflate-inl.h"

namespace irn {
namespace {

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed)
      : ByteSource(packed->name()), packed_(std::move(packed)), inflater_(name(), Inflater::Format::gzip) {}

  std::size_t read(char* out, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && begin_member()) {
      refill();
      const bool starved = input_.empty();
      const std::size_t got = inflater_.unpack(input_, out + done, size - done);
      if (starved && got == 0 && !inflater_.ended())
        throw DataError(name() + ": truncated; copy or download it again");
      done += got;
    }
    return done;
  }

  bool seek(std::uint64_t offset) override {
    if (offset != 0 || !packed_->seek(0)) return false;
    inflater_.restart();
    input_ = {};
    return true;
  }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }

 private:
  // False at the end of the file. Zeros after the last member are padding (tapes, blocks), not a member.
  bool begin_member() {
    if (!inflater_.ended()) return true;
    for (;;) {
      input_.remove_prefix(std::min(input_.find_first_not_of('\0'), input_.size()));
      if (!input_.empty()) break;
      refill();
      if (input_.empty()) return false;
    }
    inflater_.restart();
    return true;
  }

  void refill() {
    if (!input_.empty()) return;
    buffer_.resize(std::size_t{256} << 10);
    input_ = {buffer_.data(), packed_->read(buffer_.data(), buffer_.size())};
  }

  std::unique_ptr<ByteSource> packed_;
  Inflater inflater_;
  std::string buffer_;
  std::string_view input_;
};

}  // namespace

bool is_gzip(ByteSource& source) { return peek(source, 2) == "\x1f\x8b"; }

std::unique_ptr<ByteSource> unpack_gzip(std::unique_ptr<ByteSource> packed) {
  return std::make_unique<GzipSource>(std::move(packed));
}

}  // namespace irn
