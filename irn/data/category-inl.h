// Numbers as names of classes, and back: "3" for 3.0.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "irn/base/number_text.h"
#include "irn/data/csv_scan-inl.h"

namespace irn {

// The shortest text that reads back as the same number; whole numbers without a point.
template <class T>
std::string in_words(T value) {
  constexpr double longest = 1e15;  // beyond that an exponent reads better than digits
  const bool whole = value == std::floor(value) && std::abs(static_cast<double>(value)) < longest;
  return whole ? fixed_text(value == 0 ? T{0} : value, 0) : plain_text(value);
}

// Whether a text is in_words() of some number: then reading it as a number loses nothing.
inline bool names_number(std::string_view text) {
  double value = 0;
  return csv::is_number(text, value) && in_words(value) == text;
}

}  // namespace irn
