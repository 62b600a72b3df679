// The part of a CSV file that is in memory, and how it is cut into pieces that can be parsed in parallel.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "irn/data/byte_source.h"
#include "irn/data/csv_scan-inl.h"

namespace irn::csv {

// Begins with a record. At the end of the file it ends with '\n', even if the file does not.
class Window {
 public:
  Window(ByteSource& source, std::size_t size) : source_(source), buffer_(size + 1) { fill(); }

  std::string_view text() const { return {buffer_.data() + begin_, end_ - begin_}; }
  bool ended() const { return ended_; }
  std::size_t capacity() const { return buffer_.size() - 1; }

  // Drops the first bytes and fills the freed room.
  void advance(std::size_t bytes) {
    begin_ += bytes;
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    fill();
  }
  void grow() {
    buffer_.resize(capacity() * 2 + 1);
    fill();
  }
  // For a record that is too long: acts as if the file ended here, so that the parser says what is wrong.
  void close() {
    ended_ = true;
    if (end_ > begin_ && buffer_[end_ - 1] != '\n') buffer_[end_++] = '\n';
  }

 private:
  void fill() {
    if (ended_) return;
    const std::size_t room = capacity() - end_;  // one byte is kept for a last newline
    const std::size_t got = source_.read(buffer_.data() + end_, room);
    end_ += got;
    if (got < room) close();
  }

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool ended_ = false;
};

// Pieces of about `size` bytes, each from the beginning of a record to the end of one. A rest that does not
// fill a piece is left for the next call, unless there is no other piece or `all` is set. No pieces: the
// first record does not end in `text`.
inline std::vector<std::string_view> cut(std::string_view text, std::size_t size, bool all) {
  std::vector<std::string_view> pieces;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t end = record_end(text, from, std::min(from + size, text.size()));
    if (end == text.npos && all) end = text.size();
    if (end == text.npos && pieces.empty()) end = record_end(text, from, from);
    if (end == text.npos) break;
    pieces.push_back(text.substr(from, end - from));
    from = end;
  }
  return pieces;
}

}  // namespace irn::csv
