// Numbers as a CSV file writes them: with a decimal point or a comma, and with marks between thousands where that was asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "irn/data/csv_scan-inl.h"

namespace irn::csv {

struct Dialect {
  char delimiter = ',';
  char decimal = '.';
  char thousands = '\0';  // none; ' ' stands for the no-break spaces of Unicode, too

  bool plain() const { return decimal == '.' && thousands == '\0'; }
};

inline constexpr double largest_exact =
    9007199254740992;  // 2^53: from here on a double leaves whole numbers out

template <class T>
fast_float::from_chars_result parse_number(const char* p, const char* end, char decimal, T& value) {
  if (decimal == '.') return fast_float::from_chars(p, end, value);
  return fast_float::from_chars_advanced(
      p, end, value, fast_float::parse_options{fast_float::chars_format::general, decimal});
}

// Without the marks between thousands; nothing if they do not stand behind every third digit of the whole part.
bool without_thousands(std::string_view text, const Dialect& dialect, std::string& plain);

// Whether all of the text is one number. Beyond the range of double it is infinite.
bool is_number(std::string_view text, const Dialect& dialect, double& value);

// The decimal mark of a file of which `text` is the beginning, up to the end of a record: ',' if values have one comma between digits, some of them where
// no mark between thousands can be, and none has a point there; else '.'.
char detect_decimal(std::string_view text, char delimiter);

// The marks with which a text that is no number would be one, if there are any: "1,5" where points are decimal,
// "1.234,5" where nothing stands between thousands.
std::optional<Dialect> other_marks(std::string_view text, const Dialect& dialect);

// Whether a record cut at semicolons is numbers with decimal commas: there the commas are no delimiters.
bool has_decimal_commas(std::string_view record);

// Digits alone, with a sign or without.
bool is_whole_number(std::string_view text);

}  // namespace irn::csv
