#include "irn/base/text.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace irn {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

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

}  // namespace

std::string join(std::span<const std::string_view> words, std::string_view separator) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) result += separator;
    result += words[i];
  }
  return result;
}

// Row by row: row[j] is the distance between the first i letters of one word and the first j of the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] != to[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[to.size()];
}

// A third of the letters, and at least one, may differ: beyond that a suggestion would be a guess. An
// abbreviation ("pseudo" for "pseudo-transient") counts as near, too.
std::string_view closest(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string wanted = lower(name);
  std::string_view best;
  // Not all letters may differ: any letter is near to any other.
  std::size_t best_distance = std::min(std::max<std::size_t>(1, wanted.size() / 3) + 1, wanted.size());
  for (std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (!best.empty() || wanted.size() < 3) return best;
  const auto extended = std::find_if(candidates.begin(), candidates.end(), [&](std::string_view candidate) {
    return lower(candidate).starts_with(wanted);
  });
  return extended == candidates.end() ? std::string_view{} : *extended;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> candidates) {
  std::string message = "unknown ";
  message.append(kind).append(" \"").append(name).append("\"");
  const std::string_view meant = closest(name, candidates);
  if (!meant.empty()) message.append(": did you mean \"").append(meant).append("\"?");
  return message.append(meant.empty() ? ". Known: " : " Known: ").append(join(candidates));
}

std::string csv_cell(std::string_view text) {
  constexpr std::string_view blanks = " \t";  // which readers take off at the ends
  const auto is_blank = [&](char c) { return blanks.find(c) != blanks.npos; };
  const bool plain = text.find_first_of(",\"\r\n") == text.npos;
  if (text.empty() || (plain && !is_blank(text.front()) && !is_blank(text.back()))) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

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

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string one_line(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string line;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (byte == '\n' || byte == '\r' || byte == '\t')
      line += byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : "\\t";
    else if (length == 0 || byte < 0x20 || byte == 0x7F)
      line += {'\\', 'x', hex[byte / 16], hex[byte % 16]};
    else
      line += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

}  // namespace irn
