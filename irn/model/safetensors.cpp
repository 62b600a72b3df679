#include "irn/model/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "irn/base/error.h"
#include "irn/base/file.h"
#include "irn/data/frame.h"
#include "irn/model/safetensors_header-inl.h"

namespace irn {
namespace {

static_assert(std::endian::native == std::endian::little, "the file's numbers are those of the machine");

constexpr std::size_t length_bytes = 8;

std::uint64_t load_length(std::string_view bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), length_bytes);
  return length;
}

void check_tensors(const std::vector<const Tensor*>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = *tensors[i];
    const std::size_t bytes = safetensors::bytes_of_shape(tensor.shape, tensor.type);
    if (bytes != tensor.data.size())
      throw Error("tensor '" + tensor.name + "': its shape asks for " + std::to_string(bytes) +
                  " bytes, but it has " + std::to_string(tensor.data.size()));
  }
}

std::vector<const Tensor*> in_order(const Safetensors& content) {
  std::vector<const Tensor*> tensors;
  for (const Tensor& tensor : content.tensors) tensors.push_back(&tensor);
  std::sort(tensors.begin(), tensors.end(), [](const Tensor* a, const Tensor* b) {
    const std::size_t left = bytes_of(a->type), right = bytes_of(b->type);
    return left != right ? left > right : a->name < b->name;
  });
  return tensors;
}

// The checksum of header and data with zeros in place of its own digits, which are at `digits`.
std::string checksum_of(std::string_view header, std::string_view data, std::size_t digits) {
  safetensors::Checksum checksum;
  checksum.add(header.substr(0, digits));
  checksum.add(std::string(safetensors::checksum_digits, '0'));
  checksum.add(header.substr(digits + safetensors::checksum_digits));
  checksum.add(data);
  return checksum.text();
}

// Also false if the digits cannot be found in the header's text, because they were written in an unusual way.
bool checksum_holds(std::string_view header, std::string_view data, const std::string& stated) {
  const std::size_t digits = safetensors::find_checksum(header, stated);
  return digits != std::string_view::npos && checksum_of(header, data, digits) == stated;
}

void check_whole(std::string_view bytes, const std::string& source) {
  if (bytes.size() < length_bytes)
    throw DataError(source + ": no safetensors file, it has only " + std::to_string(bytes.size()) + " bytes");
  const std::uint64_t length = load_length(bytes);
  if (length > safetensors::longest_header)
    throw DataError(source + ": no safetensors file, its header would be " + std::to_string(length) +
                    " bytes long");
  if (length > bytes.size() - length_bytes)
    throw DataError(source + ": truncated within its header; it has " + std::to_string(bytes.size()) +
                    " bytes, the header ends at " + std::to_string(length + length_bytes));
}

}  // namespace

const Tensor* Safetensors::find(std::string_view wanted) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == wanted; });
  return found == tensors.end() ? nullptr : &*found;
}

template <class T>
Tensor make_tensor(std::string name, std::vector<std::size_t> shape, std::span<const T> values) {
  Tensor tensor{std::move(name), tensor_type<T>(), std::move(shape), std::string(values.size_bytes(), '\0')};
  if (!values.empty()) std::memcpy(tensor.data.data(), values.data(), values.size_bytes());
  check_tensors({&tensor});
  return tensor;
}

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  if (tensor.type != tensor_type<T>())
    throw DataError("tensor '" + tensor.name + "' holds " + std::string(name(tensor.type)) + ", not " +
                    std::string(name(tensor_type<T>())));
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), values.size() * sizeof(T));
  return values;
}

std::string to_bytes(const Safetensors& content) {
  const std::vector<const Tensor*> tensors = in_order(content);
  check_tensors(tensors);
  std::string header = safetensors::header_text(content.metadata, tensors);
  std::size_t size = length_bytes + header.size();
  for (const Tensor* tensor : tensors) size += tensor->data.size();

  std::string bytes;
  bytes.reserve(size);
  const std::uint64_t length = header.size();
  bytes.append(reinterpret_cast<const char*>(&length), length_bytes).append(header);
  for (const Tensor* tensor : tensors) bytes += tensor->data;

  const std::string_view data = std::string_view(bytes).substr(length_bytes + header.size());
  const std::size_t digits =
      safetensors::find_checksum(header, std::string(safetensors::checksum_digits, '0'));
  bytes.replace(length_bytes + digits, safetensors::checksum_digits, checksum_of(header, data, digits));
  return bytes;
}

bool begins_as_safetensors(std::string_view bytes) {
  return bytes.size() > length_bytes && load_length(bytes) <= safetensors::longest_header &&
         bytes[length_bytes] == '{';
}

Safetensors safetensors_from_bytes(std::string_view bytes, std::string_view source_name) {
  const std::string source(source_name);
  check_whole(bytes, source);
  const std::size_t length = load_length(bytes);
  const std::string_view header = bytes.substr(length_bytes, length),
                         data = bytes.substr(length_bytes + length);

  safetensors::Header parts = safetensors::parse_header(header, source);
  safetensors::check_offsets(parts.tensors, data.size(), source);
  if (const auto stated = parts.metadata.find(std::string(checksum_key)); stated != parts.metadata.end()) {
    if (!checksum_holds(header, data, stated->second))
      throw DataError(source +
                      ": damaged, its checksum does not match; restore it from a copy, or make it anew; if "
                      "you changed it on purpose, remove '" +
                      std::string(checksum_key) + "' from its metadata");
    parts.metadata.erase(stated);
  }
  Safetensors content{std::move(parts.metadata)};
  for (safetensors::Entry& entry : parts.tensors)
    content.tensors.push_back({std::move(entry.name), entry.type, std::move(entry.shape),
                               std::string(data.substr(entry.begin, entry.end - entry.begin))});
  return content;
}

void write_safetensors(const std::filesystem::path& path, const Safetensors& content) {
  write_file_atomically(path, to_bytes(content));
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  return safetensors_from_bytes(read_file(path), path.string());
}

template Tensor make_tensor(std::string, std::vector<std::size_t>, std::span<const float>);
template Tensor make_tensor(std::string, std::vector<std::size_t>, std::span<const double>);
template Tensor make_tensor(std::string, std::vector<std::size_t>, std::span<const std::uint64_t>);
template std::vector<float> values_of(const Tensor&);
template std::vector<double> values_of(const Tensor&);
template std::vector<std::uint64_t> values_of(const Tensor&);

}  // namespace irn
