// Names of the values of an enumeration, in its order.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "irn/base/error.h"
#include "irn/base/text.h"
#include "irn/front/view.h"

namespace irn::python {

template <class Enum>
Enum chosen(std::string_view what, const std::string& text, const std::vector<std::string_view>& known) {
  const auto found = std::find(known.begin(), known.end(), text);
  if (found == known.end()) throw Error(unknown_name(what, text, known));
  return static_cast<Enum>(found - known.begin());
}

inline Precision precision_of_text(const std::string& text) {
  return chosen<Precision>("precision", text, {"float32", "float64"});
}
inline std::string to_text(Precision precision) {
  return precision == Precision::float32 ? "float32" : "float64";
}

}  // namespace irn::python
