// Reads and writes the JSON header of a safetensors file, and computes its checksum.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "irn/model/safetensors.h"

namespace irn::safetensors {

// The limit of the format's own reader; a longer header is damage.
inline constexpr std::size_t longest_header = 100'000'000;
inline constexpr std::size_t checksum_digits = 8;

struct Entry {
  std::string name;
  TensorType type;
  std::vector<std::size_t> shape;
  std::size_t begin, end;  // within the data
};

struct Header {
  std::map<std::string, std::string> metadata;
  std::vector<Entry> tensors;
};

// Refuses bad JSON, keys that occur twice, unknown keys and types, shapes that do not fit their offsets.
Header parse_header(std::string_view text, const std::string& source);

// Sorts the tensors by their offsets and refuses gaps, overlaps and an end that is not the end of the data.
void check_offsets(std::vector<Entry>& tensors, std::size_t data_size, const std::string& source);

// With zeros for the digits of the checksum, padded with blanks to a multiple of 8. Tensors stay in the order
// given.
std::string header_text(const std::map<std::string, std::string>& metadata,
                        const std::vector<const Tensor*>& tensors);

// The position of the checksum's digits in the header; npos if they are not there as stated.
std::size_t find_checksum(std::string_view header, std::string_view stated);

// The largest std::size_t if the product overflows.
std::size_t bytes_of_shape(const std::vector<std::size_t>& shape, TensorType type);

// CRC-32 as in zlib, gzip and PNG.
class Checksum {
 public:
  void add(std::string_view bytes);
  std::string text() const;

 private:
  std::uint32_t value_ = 0;
};

}  // namespace irn::safetensors
