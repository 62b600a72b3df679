// The grammar of CSV (RFC 4180): where a field ends, where a record ends, what counts as missing, what as a
// number.
// Quotes are allowed only around a whole field or doubled within one. Because of this strictness, every quote
// toggles between inside and outside, and a file can be cut at newlines outside quotes without parsing its
// fields.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "fast_float/fast_float.h"

namespace irn::csv {

struct Field {
  std::string_view text;  // without quotes and without blanks around it
  bool quoted = false;    // then it may contain newlines and doubled quotes
  const char* mistake = nullptr;
};

inline bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// Behind the quote that closes the one at *p, or nullptr if there is none. The text ends with '\n'.
inline const char* quoted_end(const char* p, const char* end) {
  for (++p;; p += 2) {
    p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (p == nullptr || p[1] != '"') return p == nullptr ? p : p + 1;
  }
}

inline const char* quoted_field(const char* p, const char* end, char delimiter, Field& field) {
  const char* close = quoted_end(p, end);
  field.quoted = true;
  if (close == nullptr) {
    field.mistake = "the quote that opens here is never closed";
    return end;
  }
  field.text = {p + 1, close - 1};
  while (*close != delimiter && blank(*close)) ++close;
  if (*close != delimiter && *close != '\n')
    field.mistake = "text follows a closing quote; double the quotes within a quoted value";
  return close;
}

inline const char* unquoted_field(const char* p, char delimiter, Field& field) {
  const char* start = p;
  while (*p != delimiter && *p != '\n' && *p != '"') ++p;
  if (*p == '"')
    field.mistake = "a quote within an unquoted value; put the value in quotes and double the ones within";
  field.text = trimmed({start, p});
  return p;
}

// Reads the field at p and returns its terminator, the delimiter or '\n'. The text must end with '\n'.
inline const char* next_field(const char* p, const char* end, char delimiter, Field& field) {
  field = {};
  while (*p != delimiter && blank(*p)) ++p;
  p = *p == '"' ? quoted_field(p, end, delimiter, field) : unquoted_field(p, delimiter, field);
  if (field.mistake == nullptr && field.text.find('\0') != field.text.npos)
    field.mistake = "a NUL byte; this is no text file, or it is not saved as UTF-8";
  return p;
}

inline std::string unescaped(const Field& field) {
  if (!field.quoted) return std::string(field.text);
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    i += field.text[i] == '"';  // its double
  }
  return text;
}

// The position behind the first newline outside quotes at or after `at_least`, or npos; `from` is the
// beginning of a record.
inline std::size_t record_end(std::string_view text, std::size_t from, std::size_t at_least) {
  bool quoted = false;
  std::size_t newline = text.find('\n', at_least);
  while (newline != text.npos) {
    const auto* quote = static_cast<const char*>(std::memchr(text.data() + from, '"', newline - from));
    if (quote != nullptr) {
      quoted = !quoted;
      from = static_cast<std::size_t>(quote - text.data()) + 1;
    } else if (!quoted) {
      return newline + 1;
    } else {
      from = newline + 1;
      newline = text.find('\n', from);
    }
  }
  return text.npos;
}

// Ignores the case of letters; `word` must be in lower case.
inline bool same_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

inline bool is_missing(std::string_view text) {
  const auto is = [&](std::string_view word) { return same_word(text, word); };
  return text.empty() || text == "?" ||
         (text.size() <= 4 && (is("na") || is("n/a") || is("nan") || is("null")));
}

// Whether the whole text is one number. Numbers beyond the range of T become infinite.
template <class T>
bool is_number(std::string_view text, T& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, code] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  return (code == std::errc() || code == std::errc::result_out_of_range) && end == text.data() + text.size();
}

}  // namespace irn::csv
