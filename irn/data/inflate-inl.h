// zlib's decompressor as an object: bytes in, bytes out.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "irn/data/frame.h"

namespace irn {

class Inflater {
 public:
  // zlib's window bits: 2^15 bytes, without and with a header.
  enum class Format : int { raw = -15, gzip = 15 + 16 };

  Inflater(std::string name, Format format) : name_(std::move(name)) {
    if (inflateInit2(&stream_, static_cast<int>(format)) != Z_OK)
      throw Error("out of memory unpacking " + name_);
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Consumes the front of `in` and returns the number of bytes written: less than `size` if it needs more
  // input or has ended.
  std::size_t unpack(std::string_view& in, char* out, std::size_t size) {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(std::min(in.size(), most));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(std::min(size, most));
    const int code = inflate(&stream_, Z_NO_FLUSH);
    ended_ = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      throw DataError(name_ + ": damaged: it cannot be unpacked; copy or download it again");
    in.remove_prefix(static_cast<std::size_t>(reinterpret_cast<const char*>(stream_.next_in) - in.data()));
    return static_cast<std::size_t>(reinterpret_cast<char*>(stream_.next_out) - out);
  }
  bool ended() const { return ended_; }
  void restart() {
    inflateReset(&stream_);
    ended_ = false;
  }

 private:
  const std::string name_;
  z_stream stream_ = {};
  bool ended_ = false;
};

}  // namespace irn
