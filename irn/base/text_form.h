// Text forms. A type with a text form has these two functions, declared beside it:
//   std::string to_text(const X& x)
//   X from_text<X>(std::string_view text)     irn::Error for a text of another form
// from_text<X>(to_text(x)) is x.
#pragma once

#include <string_view>

namespace irn {

template <class X>
X from_text(std::string_view text);  // specialised for each X; does not link for other types

}  // namespace irn
