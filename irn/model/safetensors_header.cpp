#include <zlib.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "irn/base/error.h"
#include "irn/base/number_text.h"
#include "irn/data/frame.h"
#include "irn/model/safetensors_header-inl.h"

namespace irn::safetensors {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view metadata_key = "__metadata__";
constexpr std::size_t deepest = 3;  // header, tensor, shape

// Names come from the file: a hostile one may be long.
std::string shown(const std::string& name) {
  constexpr std::size_t longest = 60;
  return "'" + (name.size() <= longest ? name : name.substr(0, longest) + "...") + "'";
}

[[noreturn]] void fail(const std::string& source, const std::string& what) {
  throw DataError(source + ": damaged or no safetensors file, " + what);
}

// Watches the parser: nothing nested too deeply, no key twice (the parser itself would silently keep the last
// one).
class Watch {
 public:
  explicit Watch(const std::string& source) : source_(source) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (static_cast<std::size_t>(depth) > deepest) fail(source_, "its header is nested too deeply");
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && !keys_.back().insert(parsed.get<std::string>()).second)
      fail(source_, shown(parsed.get<std::string>()) + " occurs twice in its header");
    return true;
  }

 private:
  const std::string& source_;
  std::vector<std::set<std::string>> keys_;
};

json parse(std::string_view text, const std::string& source) {
  if (text.empty() || text.front() != '{') fail(source, "its header is no JSON object");
  try {
    Watch watch(source);
    return json::parse(text, [&](int depth, json::parse_event_t event, json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const json::parse_error& error) {
    fail(source, "its header is no JSON: byte " + std::to_string(error.byte) + " is unexpected");
  } catch (const json::exception&) {  // a number out of range
    fail(source, "its header is no JSON that a safetensors file can have");
  }
}

std::vector<std::size_t> sizes_from(const json& list, const std::string& what, const std::string& source) {
  if (!list.is_array()) fail(source, what + " is no list");
  std::vector<std::size_t> sizes;
  for (const json& size : list) {
    if (!size.is_number_unsigned()) fail(source, what + " holds something that is no size");
    sizes.push_back(size.get<std::size_t>());
  }
  return sizes;
}

TensorType type_from(const json& from, const std::string& what, const std::string& source) {
  const std::string type = from.is_string() ? from.get<std::string>() : "";
  const auto found = std::find(tensor_type_names.begin(), tensor_type_names.end(), type);
  if (found == tensor_type_names.end()) fail(source, what + " has the unknown dtype " + shown(type));
  return static_cast<TensorType>(found - tensor_type_names.begin());
}

Entry entry_from(const std::string& name, const json& from, const std::string& source) {
  const std::string what = "tensor " + shown(name);
  if (!from.is_object() || from.size() != 3 || !from.contains("dtype") || !from.contains("shape") ||
      !from.contains("data_offsets"))
    fail(source, what + " needs dtype, shape and data_offsets, and nothing else");
  const TensorType type = type_from(from["dtype"], what, source);
  std::vector<std::size_t> shape = sizes_from(from["shape"], "the shape of " + what, source);
  const std::vector<std::size_t> offsets =
      sizes_from(from["data_offsets"], "data_offsets of " + what, source);
  if (offsets.size() != 2 || offsets[1] < offsets[0])
    fail(source, "data_offsets of " + what + " are not [begin, end]");
  if (bytes_of_shape(shape, type) != offsets[1] - offsets[0])
    fail(source,
         what + " has a shape that does not fit its " + std::to_string(offsets[1] - offsets[0]) + " bytes");
  return {name, type, std::move(shape), offsets[0], offsets[1]};
}

std::map<std::string, std::string> metadata_from(const json& from, const std::string& source) {
  if (!from.is_object()) fail(source, "its __metadata__ is no object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : from.items()) {
    if (!value.is_string()) fail(source, "the metadata " + shown(key) + " is no text");
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

ordered_json metadata_to_json(const std::map<std::string, std::string>& metadata) {
  ordered_json object = ordered_json::object();
  for (const auto& [key, value] : metadata) object[key] = value;
  return object;
}

}  // namespace

std::size_t bytes_of_shape(const std::vector<std::size_t>& shape, TensorType type) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  if (std::find(shape.begin(), shape.end(), 0u) != shape.end()) return 0;
  std::size_t bytes = bytes_of(type);
  for (const std::size_t size : shape) {
    if (bytes > largest / size) return largest;
    bytes *= size;
  }
  return bytes;
}

Header parse_header(std::string_view text, const std::string& source) {
  const json object = parse(text, source);
  Header header;
  for (const auto& [name, value] : object.items()) {
    if (name == metadata_key)
      header.metadata = metadata_from(value, source);
    else
      header.tensors.push_back(entry_from(name, value, source));
  }
  return header;
}

void check_offsets(std::vector<Entry>& tensors, std::size_t data_size, const std::string& source) {
  std::sort(tensors.begin(), tensors.end(), [](const Entry& a, const Entry& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    return a.end != b.end ? a.end < b.end : a.name < b.name;
  });
  std::size_t end = 0;
  for (const Entry& tensor : tensors) {
    if (tensor.begin != end)
      fail(source, "the data of tensor " + shown(tensor.name) + " begin at byte " +
                       std::to_string(tensor.begin) + ", those before end at " + std::to_string(end));
    end = tensor.end;
  }
  if (end > data_size)
    throw DataError(source + ": truncated; its tensors need " + std::to_string(end) + " bytes, " +
                    std::to_string(data_size) + " are there");
  if (const auto more = data_size - end; end < data_size)
    fail(source, std::to_string(more) + (more == 1 ? " byte follows" : " bytes follow") + " its last tensor");
}

std::string header_text(const std::map<std::string, std::string>& metadata,
                        const std::vector<const Tensor*>& tensors) {
  auto entries = metadata;
  entries[std::string(checksum_key)] = std::string(checksum_digits, '0');
  ordered_json object;
  object[metadata_key] = metadata_to_json(entries);
  std::size_t end = 0;
  for (const Tensor* tensor : tensors) {
    if (object.contains(tensor->name))
      throw Error("two tensors are named " + shown(tensor->name) +
                  ", or one has a name the file keeps for itself");
    const std::size_t begin = end;
    end += tensor->data.size();
    object[tensor->name] = {
        {"dtype", name(tensor->type)}, {"shape", tensor->shape}, {"data_offsets", {begin, end}}};
  }
  try {
    std::string text = object.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
  } catch (const json::type_error&) {
    throw Error("a safetensors file holds text as UTF-8; a name or a metadata entry is none");
  }
}

// The key may also occur as a value: only the occurrence before the digits counts.
std::size_t find_checksum(std::string_view header, std::string_view stated) {
  if (stated.size() != checksum_digits) return header.npos;
  const std::string key = "\"" + std::string(checksum_key) + "\"", value = "\"" + std::string(stated) + "\"";
  constexpr std::string_view blanks = " \t\n\r";
  for (std::size_t at = header.find(key); at != header.npos; at = header.find(key, at + 1)) {
    const std::size_t colon = header.find_first_not_of(blanks, at + key.size());
    if (colon == header.npos || header[colon] != ':') continue;
    const std::size_t quote = header.find_first_not_of(blanks, colon + 1);
    if (quote != header.npos && header.substr(quote).starts_with(value)) return quote + 1;
  }
  return header.npos;
}

void Checksum::add(std::string_view bytes) {
  // zlib counts in 32 bits.
  for (constexpr std::size_t most = std::size_t{1} << 30; !bytes.empty();) {
    const std::string_view piece = bytes.substr(0, most);
    value_ = static_cast<std::uint32_t>(
        crc32(value_, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size())));
    bytes.remove_prefix(piece.size());
  }
}

std::string Checksum::text() const { return hex_text(value_, 8); }

}  // namespace irn::safetensors
