// An option given as a value or as its text. These two are the same:
//   {.solver = irn::Anderson{.memory = 3}}
//   {.solver = "anderson:memory=3"}
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "irn/base/text_form.h"

namespace irn {

template <class V>
class OrText {
 public:
  template <class Value>
    requires std::convertible_to<Value, V>
  OrText(Value&& value) : value_(std::forward<Value>(value)) {}
  OrText(const char* text) : value_(from_text<V>(text)) {}
  OrText(std::string_view text) : value_(from_text<V>(text)) {}
  OrText(const std::string& text) : value_(from_text<V>(text)) {}

  const V& value() const { return value_; }
  operator const V&() const { return value_; }

 private:
  V value_;
};

}  // namespace irn
