// The JSON header of a safetensors file, taken apart and put together, and its checksum.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "irn/model/safetensors.h"

namespace irn::safetensors {

// What the format's own reader allows; a longer one is damage.
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

// Sorts the tensors by their place and refuses gaps, overlaps and an end that is not the data's.
void check_offsets(std::vector<Entry>& tensors, std::size_t data_size, const std::string& source);

// With zeros for the digits of the checksum, and blanks to a multiple of 8. The tensors lie in the order given.
std::string header_text(const std::map<std::string, std::string>& metadata,
                        const std::vector<const Tensor*>& tensors);

// Where in the header the checksum's digits stand; npos if they are not there as stated.
std::size_t find_checksum(std::string_view header, std::string_view stated);

// The largest size if the product does not fit.
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
