#include "irn/base/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace irn {
namespace {

// Room for every digit of the largest double before the point, and for any reasonable number of decimals.
using Buffer = std::array<char, 512>;

template <class T, class... Format>
std::string write(T value, Format... format) {
  Buffer buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return std::string(buffer.data(), result.ptr);
}

// Turns "1.25e-03" into 0.00125.
template <class T>
std::string without_exponent(T value) {
  const std::string text = write(value, std::chars_format::scientific);
  const std::size_t e = text.find('e');
  if (e == text.npos) return text;  // inf, nan
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent < -4 || exponent >= 16) return text;
  const std::string sign = text[0] == '-' ? "-" : "";
  std::string digits = text.substr(sign.size(), e - sign.size());
  std::erase(digits, '.');
  if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  if (digits.size() > whole) digits.insert(whole, ".");
  return sign + digits;
}

}  // namespace

std::string fixed_text(double value, int decimals) {
  return write(value, std::chars_format::fixed, decimals);
}
std::string short_text(double value, int digits) { return write(value, std::chars_format::general, digits); }

std::string hex_text(std::uint32_t value, std::size_t digits) {
  const std::string text = write(value, 16);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

std::string plain_text(double value) { return without_exponent(value); }
std::string plain_text(float value) { return without_exponent(value); }

std::string text_within(double value, double off) {
  for (int digits = 1; digits < std::numeric_limits<double>::max_digits10; ++digits) {
    const std::string text = short_text(value, digits);
    double rounded = value;
    std::from_chars(text.data(), text.data() + text.size(), rounded);
    if (std::abs(rounded - value) <= off) return plain_text(rounded);
  }
  return plain_text(value);
}

}  // namespace irn
