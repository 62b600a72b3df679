#include "irn/base/options_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "irn/base/error.h"
#include "irn/base/text.h"

namespace irn {
namespace {

template <class T>
bool read_whole(std::string_view text, T& value) {
  T read{};
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, read);
  if (problem != std::errc{} || stop != end) return false;
  value = read;
  return true;
}

template <class T>
std::string write_shortest(T value) {
  std::array<char, 64> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::pair<std::string_view, std::string_view> split_setting(std::string_view setting, std::string_view text,
                                                            std::string_view what) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == setting.size())
    throw Error(std::string(what) + " " + quoted(text) + ": " + quoted(setting) +
                " is not of the form key=value; write name:key=value,key=value");
  return {setting.substr(0, equals), setting.substr(equals + 1)};
}

}  // namespace

OptionsText split_options(std::string_view text, std::string_view what) {
  const std::size_t colon = text.find(':');
  OptionsText parts{text.substr(0, colon), {}};
  if (parts.name.empty()) throw Error(std::string(what) + " " + quoted(text) + ": the name is missing");
  if (colon == std::string_view::npos) return parts;
  std::string_view rest = text.substr(colon + 1);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const auto setting = split_setting(rest.substr(0, comma), text, what);
    for (const auto& earlier : parts.settings)
      if (earlier.first == setting.first)
        throw Error(std::string(what) + " " + quoted(text) + ": " + quoted(setting.first) + " is set twice");
    parts.settings.push_back(setting);
    more = comma != std::string_view::npos;
    if (more) rest = rest.substr(comma + 1);
  }
  return parts;
}

bool read_value(std::string_view text, double& value) {
  double read = 0;
  if (!read_whole(text, read) || !std::isfinite(read)) return false;
  value = read;
  return true;
}

bool read_value(std::string_view text, int& value) { return read_whole(text, value); }

bool read_value(std::string_view text, std::size_t& value) { return read_whole(text, value); }

bool read_value(std::string_view text, bool& value) {
  if (text != "true" && text != "false") return false;
  value = text == "true";
  return true;
}

std::string write_value(double value) { return write_shortest(value); }
std::string write_value(float value) { return write_shortest(value); }
std::string write_value(int value) { return write_shortest(value); }
std::string write_value(std::size_t value) { return write_shortest(value); }
std::string write_value(bool value) { return value ? "true" : "false"; }

namespace options_detail {

void refuse_name(std::string_view name, std::string_view what, std::span<const std::string_view> known) {
  throw Error(unknown_name(what, name, known));
}

void refuse_key(std::string_view name, std::string_view key, std::span<const FieldText> known) {
  std::vector<std::string_view> keys;
  for (const FieldText& field : known) keys.push_back(field.key);
  if (keys.empty()) throw Error(std::string(name) + " takes no settings, so not " + quoted(key) + " either");
  throw Error(unknown_name("setting of " + std::string(name), key, keys));
}

void refuse_value(std::string_view name, std::string_view key, std::string_view value, const char* kind) {
  throw Error(std::string(name) + ": " + std::string(key) + "=" + std::string(value) + " " +
              is_not(value, kind));
}

std::string is_not(std::string_view value, const char* kind) {
  const bool digits = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
  return digits ? "is too large a number" : "is not " + std::string(kind);
}

std::string join(std::string_view name, std::span<const FieldText> fields) {
  std::string text(name);
  char mark = ':';
  for (const FieldText& field : fields) {
    text += mark + field.key + "=" + field.value;
    mark = ',';
  }
  return text;
}

}  // namespace options_detail
}  // namespace irn
