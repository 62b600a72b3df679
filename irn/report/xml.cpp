#include "irn/report/xml-inl.h"

#include <cstdint>

namespace irn::report {
namespace {

struct Utf8Lead {
  std::size_t length;
  std::uint32_t bits, least;  // payload of the first byte; smallest code point this length may encode
};

Utf8Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xE0) == 0xC0) return {2, byte & 0x1Fu, 0x80};
  if ((byte & 0xF0) == 0xE0) return {3, byte & 0x0Fu, 0x800};
  if ((byte & 0xF8) == 0xF0) return {4, byte & 0x07u, 0x10000};
  return {0, 0, 0};
}

bool is_code_point(std::uint32_t code) { return code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF); }

// XML 1.0 allows three control characters only, and neither U+FFFE nor U+FFFF.
bool allowed_in_xml(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1)
    return first >= 0x20 ? first != 0x7F : (first == '\t' || first == '\n' || first == '\r');
  return character != "\xEF\xBF\xBE" && character != "\xEF\xBF\xBF";
}

void append_escaped(std::string& out, std::string_view character) {
  if (character == "&")
    out += "&amp;";
  else if (character == "<")
    out += "&lt;";
  else if (character == ">")
    out += "&gt;";
  else if (character == "\"")
    out += "&quot;";
  else if (character == "'")
    out += "&#39;";
  else
    out += allowed_in_xml(character) ? character : "\xEF\xBF\xBD";
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const Utf8Lead lead = lead_of(static_cast<unsigned char>(text[0]));
  if (lead.length == 0 || lead.length > text.size()) return 0;
  std::uint32_t code = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3Fu);
  }
  return code >= lead.least && is_code_point(code) ? lead.length : 0;
}

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else
      append_escaped(out, text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper)
      out += static_cast<char>(c - 'A' + 'a');
    else if (kept)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "x" : out;
}

}  // namespace irn::report
