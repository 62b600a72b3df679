// Arrays in a file that NumPy reads: an NPZ archive of NPY members, stored without compression.
//   Npz file("job.npz");
//   file.add("x", values, {rows, columns});
//   file.close();
// Refuses archives beyond 4 GB, which need the 64-bit form of ZIP; no job writes that much.
#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace irn::bench {

class Npz {
 public:
  explicit Npz(const std::string& path);
  using Shape = std::vector<std::size_t>;
  void add(std::string_view name, std::span<const float> values, const Shape& shape);
  void add(std::string_view name, std::span<const double> values, const Shape& shape);
  void add(std::string_view name, std::span<const std::uint8_t> values, const Shape& shape);
  void add(std::string_view name, std::span<const std::uint64_t> values, const Shape& shape);
  void close();  // writes the directory; irn::FileError if anything failed to be written

 private:
  struct Member {
    std::string name;
    std::uint32_t crc, bytes, offset;
  };
  void add_bytes(std::string_view name, std::string_view type, std::size_t item, const void* values,
                 std::size_t count, const Shape& shape);
  void write(std::string_view bytes);

  std::string path_;
  std::ofstream out_;
  std::uint64_t at_ = 0;
  std::vector<Member> members_;
};

}  // namespace irn::bench
