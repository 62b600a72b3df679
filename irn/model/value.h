// One value of a row: a number, or a text that the program keeps alive. NaN, the empty text and a null
// pointer mean a missing value.
#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <string_view>

namespace irn {

class Value {
 public:
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  Value(Number number) : number_(static_cast<double>(number)) {}
  Value(std::string_view text) : text_(text), is_text_(true) {}
  Value(const char* text) : Value(text ? std::string_view(text) : std::string_view()) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}

  bool is_text() const { return is_text_; }
  double number() const { return number_; }
  std::string_view text() const { return text_; }
  bool is_missing() const { return is_text_ ? text_.empty() : number_ != number_; }

 private:
  double number_ = std::numeric_limits<double>::quiet_NaN();
  std::string_view text_ = {};
  bool is_text_ = false;
};

}  // namespace irn
