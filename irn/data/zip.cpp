#include "irn/data/zip.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "irn/data/header_numbers-inl.h"
#include "irn/data/inflate-inl.h"

namespace irn {
namespace {

[[noreturn]] void fail(const ByteSource& archive, const std::string& what) {
  throw DataError(archive.name() + ": " + what);
}

[[noreturn]] void fail_damaged(const ByteSource& archive) {
  fail(archive, "truncated or damaged zip archive; copy or download it again");
}

std::string read_at(ByteSource& archive, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t total = archive.size().value_or(0);
  if (offset > total || size > total - offset || !archive.seek(offset)) fail_damaged(archive);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  read_exactly(archive, bytes.data(), bytes.size());
  return bytes;
}

struct Directory {
  std::uint64_t offset, size, entries;
};

// Beyond 4 GB, a second record holds the numbers that do not fit into the first; a third record says where it
// is.
Directory large_directory(ByteSource& archive, std::uint64_t end_record) {
  constexpr std::uint64_t locator_size = 20, record_size = 56;
  if (end_record < locator_size) fail_damaged(archive);
  const std::string locator = read_at(archive, end_record - locator_size, locator_size);
  if (!locator.starts_with("PK\x06\x07")) fail_damaged(archive);
  const std::string record = read_at(archive, little_endian(locator, 8, 8), record_size);
  if (!record.starts_with("PK\x06\x06")) fail_damaged(archive);
  return {little_endian(record, 48, 8), little_endian(record, 40, 8), little_endian(record, 32, 8)};
}

// Searches for the last record of the archive, which is followed by a comment of unknown length.
Directory find_directory(ByteSource& archive) {
  constexpr std::uint64_t record_size = 22, longest_comment = 65535;
  if (!archive.size()) fail(archive, "a zip archive cannot be read from a pipe; save it to a file");
  const std::uint64_t total = *archive.size(), length = std::min(total, record_size + longest_comment);
  const std::string tail = read_at(archive, total - length, length);
  if (tail.size() < record_size) fail_damaged(archive);
  for (std::size_t at = tail.size() - record_size + 1; at-- > 0;) {
    if (tail.compare(at, 4, "PK\x05\x06") != 0) continue;
    if (little_endian(tail, at + 20, 2) != tail.size() - at - record_size) continue;
    const Directory found{little_endian(tail, at + 16, 4), little_endian(tail, at + 12, 4),
                          little_endian(tail, at + 10, 2)};
    const bool large = found.offset == 0xFFFFFFFF || found.size == 0xFFFFFFFF || found.entries == 0xFFFF;
    return large ? large_directory(archive, total - length + at) : found;
  }
  fail_damaged(archive);
}

// Sizes that do not fit into 32 bits are all ones in the entry and follow, in this order, in extra field 1.
bool read_large_sizes(std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::uint64_t id = little_endian(extra, 0, 2), size = little_endian(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    std::string_view content = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != 1) continue;
    for (std::uint64_t* value : {&member.size, &member.packed_size, &member.header}) {
      if (*value != 0xFFFFFFFF) continue;
      if (content.size() < 8) return false;
      *value = little_endian(content, 0, 8);
      content.remove_prefix(8);
    }
  }
  return true;
}

void check_member(const ByteSource& archive, const ZipMember& member, unsigned flags) {
  const std::string name = "member '" + member.name + "' ";
  if ((flags & 1) != 0) fail(archive, name + "is encrypted; unpack it first");
  if (member.method != 0 && member.method != 8)
    fail(archive,
         name + "is packed with method " + std::to_string(member.method) + "; repack it with deflate");
  // Deflate packs at most 1032 bytes into one: a small file that claims more is refused.
  constexpr std::uint64_t largest_ratio = 1032;
  const bool too_large = member.size / largest_ratio > member.packed_size;
  if (member.packed_size > *archive.size() || (member.method == 0 && member.size != member.packed_size) ||
      too_large)
    fail_damaged(archive);
}

// Takes the first entry off the directory.
ZipMember next_member(const ByteSource& archive, std::string_view& directory) {
  constexpr std::size_t entry_size = 46;
  if (directory.size() < entry_size || !directory.starts_with("PK\x01\x02")) fail_damaged(archive);
  const std::string_view entry = directory;
  const std::size_t name = little_endian(entry, 28, 2), extra = little_endian(entry, 30, 2),
                    comment = little_endian(entry, 32, 2);
  if (name + extra + comment > entry.size() - entry_size) fail_damaged(archive);
  ZipMember member{std::string(entry.substr(entry_size, name)),
                   static_cast<unsigned>(little_endian(entry, 10, 2)),
                   static_cast<std::uint32_t>(little_endian(entry, 16, 4)),
                   little_endian(entry, 20, 4),
                   little_endian(entry, 24, 4),
                   little_endian(entry, 42, 4)};
  if (!read_large_sizes(entry.substr(entry_size + name, extra), member)) fail_damaged(archive);
  check_member(archive, member, static_cast<unsigned>(little_endian(entry, 8, 2)));
  directory.remove_prefix(entry_size + name + extra + comment);
  return member;
}

class MemberSource : public ByteSource {
 public:
  MemberSource(ByteSource& archive, const ZipMember& member)
      : ByteSource(archive.name() + ", member '" + member.name + "'"), archive_(archive), member_(member) {
    constexpr std::uint64_t header_size = 30;
    const std::string header = read_at(archive, member.header, header_size);
    if (!header.starts_with("PK\x03\x04")) fail_damaged(archive);
    position_ = member.header + header_size + little_endian(header, 26, 2) + little_endian(header, 28, 2);
    if (position_ > *archive.size() || member.packed_size > *archive.size() - position_)
      fail_damaged(archive);
    end_ = position_ + member.packed_size;
    if (member.method == 8) inflater_.emplace(name(), Inflater::Format::raw);
  }

  std::size_t read(char* out, std::size_t size) override {
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, member_.size - done_));
    const std::size_t got = inflater_ ? read_packed(out, size) : read_raw(out, size);
    if (got < size) fail_damaged(*this);
    for (std::size_t from = 0; from < got;) {  // zlib counts in 32 bits
      const std::size_t part = std::min(got - from, std::size_t{1} << 30);
      checksum_ = crc32(checksum_, reinterpret_cast<const Bytef*>(out + from), static_cast<uInt>(part));
      from += part;
    }
    done_ += got;
    if (done_ == member_.size && checksum_ != member_.checksum) fail_damaged(*this);
    return got;
  }
  bool seek(std::uint64_t) override { return false; }
  std::optional<std::uint64_t> size() const override { return member_.size; }

 private:
  std::size_t read_raw(char* out, std::size_t size) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, end_ - position_));
    if (!archive_.seek(position_)) fail_damaged(*this);
    const std::size_t got = archive_.read(out, wanted);
    position_ += got;
    return got;
  }

  std::size_t read_packed(char* out, std::size_t size) {
    std::size_t done = 0;
    while (done < size && !inflater_->ended()) {
      if (input_.empty()) {
        buffer_.resize(std::size_t{256} << 10);
        input_ = {buffer_.data(), read_raw(buffer_.data(), buffer_.size())};
      }
      const bool starved = input_.empty();
      const std::size_t got = inflater_->unpack(input_, out + done, size - done);
      if (starved && got == 0) break;
      done += got;
    }
    return done;
  }

  ByteSource& archive_;
  const ZipMember member_;
  std::uint64_t position_ = 0, end_ = 0, done_ = 0;
  unsigned long checksum_ = 0;
  std::optional<Inflater> inflater_;
  std::string buffer_;
  std::string_view input_;
};

}  // namespace

std::vector<ZipMember> list_zip(ByteSource& archive) {
  const Directory found = find_directory(archive);
  const std::string bytes = read_at(archive, found.offset, found.size);
  std::vector<ZipMember> members;
  std::string_view rest = bytes;
  for (std::uint64_t i = 0; i < found.entries; ++i) members.push_back(next_member(archive, rest));
  return members;
}

std::unique_ptr<ByteSource> open_member(ByteSource& archive, const ZipMember& member) {
  return std::make_unique<MemberSource>(archive, member);
}

}  // namespace irn
