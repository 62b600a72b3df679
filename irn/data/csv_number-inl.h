// Numbers as written in a CSV file: with a decimal point or comma and, if asked for, with marks between
// thousands.
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

// 2^53: from here on not every whole number is a double.
inline constexpr double largest_exact = 9007199254740992;

template <class T>
fast_float::from_chars_result parse_number(const char* p, const char* end, char decimal, T& value) {
  if (decimal == '.') return fast_float::from_chars(p, end, value);
  return fast_float::from_chars_advanced(
      p, end, value, fast_float::parse_options{fast_float::chars_format::general, decimal});
}

// Removes the marks between thousands; false if they do not separate groups of three digits of the whole
// part.
bool without_thousands(std::string_view text, const Dialect& dialect, std::string& plain);

// Whether the whole text is one number. Numbers beyond the range of double become infinite.
bool is_number(std::string_view text, const Dialect& dialect, double& value);

// The decimal mark of a file that begins with `text`, whole records: ',' if there are numbers with a decimal
// comma, at least one of them not to be confused with a mark between thousands, and none with a decimal
// point; else '.'.
char detect_decimal(std::string_view text, char delimiter);

// Other marks with which a text would be a number, if there are any: for "1,5" if points are decimal, for
// "1.234,5" if there are no marks between thousands.
std::optional<Dialect> other_marks(std::string_view text, const Dialect& dialect);

// Whether a record cut at semicolons consists of numbers with decimal commas: then its commas are not
// delimiters.
bool has_decimal_commas(std::string_view record);

// Only digits, with or without a sign.
bool is_whole_number(std::string_view text);

}  // namespace irn::csv
