#include "bench/compare/irn_jobs/npz.h"

#include <zlib.h>

#include <limits>

#include "irn/base/error.h"
#include "irn/base/file.h"

namespace irn::bench {
namespace {

// A ZIP header is a sequence of small little-endian numbers.
class Record {
 public:
  Record& u16(std::uint32_t v) { return put(v, 2); }
  Record& u32(std::uint32_t v) { return put(v, 4); }
  const std::string& text() const { return text_; }

 private:
  Record& put(std::uint32_t v, int bytes) {
    for (int k = 0; k < bytes; ++k) text_.push_back(char(v >> (8 * k) & 0xff));
    return *this;
  }
  std::string text_;
};

constexpr std::uint32_t zip_version = 20,
                        date_1980 = 0x21;  // no clock in an archive: equal data give equal bytes

std::string npy_header(std::string_view type, const Npz::Shape& shape) {
  std::string dims;
  for (std::size_t d : shape) dims += std::to_string(d) + ",";
  std::string text =
      "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (" + dims + "), }";
  constexpr std::size_t fixed = 10, alignment = 64;
  while ((fixed + text.size() + 1) % alignment != 0) text.push_back(' ');
  text.push_back('\n');
  return std::string("\x93NUMPY\x01\x00", 8) + Record().u16(std::uint32_t(text.size())).text() + text;
}

std::uint32_t checksum(std::string_view head, const void* values, std::size_t bytes) {
  const uLong first = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
  return std::uint32_t(crc32_z(first, static_cast<const Bytef*>(values), bytes));
}

}  // namespace

Npz::Npz(const std::string& path) : path_(path), out_(path, std::ios::binary | std::ios::trunc) {
  if (!out_) throw FileError(path + ": cannot be written");
}

void Npz::write(std::string_view bytes) {
  out_.write(bytes.data(), std::streamsize(bytes.size()));
  at_ += bytes.size();
}

void Npz::add_bytes(std::string_view name, std::string_view type, std::size_t item, const void* values,
                    std::size_t count, const Shape& shape) {
  const std::string header = npy_header(type, shape);
  const std::uint64_t bytes = header.size() + count * item;
  if (at_ + bytes > std::numeric_limits<std::uint32_t>::max() / 2)
    throw Error(path_ + ": more than 2 GB; take fewer samples");
  Member m{.name = std::string(name) + ".npy",
           .crc = checksum(header, values, count * item),
           .bytes = std::uint32_t(bytes),
           .offset = std::uint32_t(at_)};
  write(Record().u32(0x04034b50).u16(zip_version).u16(0).u16(0).u16(0).u16(date_1980).u32(m.crc).text());
  write(Record().u32(m.bytes).u32(m.bytes).u16(std::uint32_t(m.name.size())).u16(0).text());
  write(m.name);
  write(header);
  write({static_cast<const char*>(values), count * item});
  members_.push_back(std::move(m));
}

void Npz::add(std::string_view name, std::span<const float> values, const Shape& shape) {
  add_bytes(name, "<f4", 4, values.data(), values.size(), shape);
}
void Npz::add(std::string_view name, std::span<const double> values, const Shape& shape) {
  add_bytes(name, "<f8", 8, values.data(), values.size(), shape);
}
void Npz::add(std::string_view name, std::span<const std::uint8_t> values, const Shape& shape) {
  add_bytes(name, "|u1", 1, values.data(), values.size(), shape);
}
void Npz::add(std::string_view name, std::span<const std::uint64_t> values, const Shape& shape) {
  add_bytes(name, "<u8", 8, values.data(), values.size(), shape);
}

void Npz::close() {
  const std::uint32_t start = std::uint32_t(at_);
  for (const Member& m : members_) {
    Record r;
    r.u32(0x02014b50).u16(zip_version).u16(zip_version).u16(0).u16(0).u16(0).u16(date_1980).u32(m.crc);
    r.u32(m.bytes).u32(m.bytes).u16(std::uint32_t(m.name.size())).u16(0).u16(0).u16(0).u16(0).u32(0);
    write(r.u32(m.offset).text() + m.name);
  }
  const std::uint32_t size = std::uint32_t(at_) - start, count = std::uint32_t(members_.size());
  write(Record().u32(0x06054b50).u16(0).u16(0).u16(count).u16(count).u32(size).u32(start).u16(0).text());
  out_.close();
  if (!out_) throw FileError(path_ + ": could not be written whole; is there room?");
}

}  // namespace irn::bench
