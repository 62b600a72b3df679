// The container of model files and checkpoints: safetensors, a format that many numerical environments read.
//   8 bytes   length of the header, little-endian
//   header    JSON:
//             {"__metadata__": {text: text}, name: {"dtype", "shape", "data_offsets": [begin, end]}, ...}
//   data      the tensors' numbers, little-endian, row-major, without gaps
// The output is canonical: its bytes are a function of the content alone. Tensors are sorted by the size of
// their elements, larger ones first, then by name. Blanks fill the header up to a multiple of 8, so that
// every number is aligned.
//
// The metadata entry `irn.crc32` guards against damage: it is the CRC-32, in eight hexadecimal digits, of
// everything after the length, with zeros in place of those digits. A file without the entry (one changed by
// a few lines of Python) is not checked.
//
// Refuses truncated, damaged and contradictory files with irn::DataError, and never allocates more than the
// size of the file justifies. Does not know what the tensors mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace irn {

// The format's list of number types; index = the enum's value. irn reads and writes float, double and uint64.
enum class TensorType : unsigned char {
  BOOL,
  U8,
  I8,
  F8_E5M2,
  F8_E4M3,
  I16,
  U16,
  F16,
  BF16,
  I32,
  U32,
  F32,
  I64,
  U64,
  F64
};
inline constexpr std::array<std::string_view, 15> tensor_type_names = {
    "BOOL", "U8",  "I8",  "F8_E5M2", "F8_E4M3", "I16", "U16", "F16",
    "BF16", "I32", "U32", "F32",     "I64",     "U64", "F64"};

constexpr std::string_view name(TensorType type) { return tensor_type_names[static_cast<std::size_t>(type)]; }
constexpr std::size_t bytes_of(TensorType type) {
  if (type >= TensorType::I64) return 8;
  if (type >= TensorType::I32) return 4;
  return type >= TensorType::I16 ? 2 : 1;
}

template <class T>
constexpr TensorType tensor_type();
template <>
constexpr TensorType tensor_type<float>() {
  return TensorType::F32;
}
template <>
constexpr TensorType tensor_type<double>() {
  return TensorType::F64;
}
template <>
constexpr TensorType tensor_type<std::uint64_t>() {
  return TensorType::U64;
}

struct Tensor {
  std::string name;
  TensorType type = TensorType::F32;
  std::vector<std::size_t> shape = {};  // none: a single number
  std::string data = {};                // bytes
  bool operator==(const Tensor&) const = default;
};

struct Safetensors {
  std::map<std::string, std::string> metadata = {};
  std::vector<Tensor> tensors = {};

  const Tensor* find(std::string_view name) const;  // nullptr if there is none
  bool operator==(const Safetensors&) const = default;
};

// T is float, double or std::uint64_t. Throws irn::Error unless the shape has as many entries as there are
// values.
template <class T>
Tensor make_tensor(std::string name, std::vector<std::size_t> shape, std::span<const T> values);
// Throws irn::DataError, which names the tensor, if its numbers have another type.
template <class T>
std::vector<T> values_of(const Tensor& tensor);

// Throws irn::Error for two tensors of one name, a shape that does not fit its data, and text that is not
// UTF-8.
std::string to_bytes(const Safetensors& content);
// `source` is the name of the file in messages. Tensors are returned in the order of their data; `irn.crc32`
// is checked and left out of the metadata.
Safetensors safetensors_from_bytes(std::string_view bytes, std::string_view source);

// Whether the bytes begin with the length of a header and its brace, as hardly any other file does.
bool begins_as_safetensors(std::string_view bytes);

void write_safetensors(const std::filesystem::path& path, const Safetensors& content);  // whole or not at all
Safetensors read_safetensors(const std::filesystem::path& path);

inline constexpr std::string_view checksum_key = "irn.crc32";

}  // namespace irn
