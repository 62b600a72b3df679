#include "irn/report/xml-inl.h"

#include <cassert>

#include "irn/base/text.h"

namespace irn::report {
namespace {

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

std::string fill_in(std::string_view pattern, std::initializer_list<std::string_view> texts) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t open; (open = pattern.find('{')) != pattern.npos;) {
    const std::size_t close = pattern.find('}', open);
    const std::size_t which = close == open + 1 ? next++ : static_cast<std::size_t>(pattern[open + 1] - '0');
    assert(close != pattern.npos && which < texts.size());
    out.append(pattern.substr(0, open)).append(texts.begin()[which]);
    pattern.remove_prefix(close + 1);
  }
  return out.append(pattern);
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
