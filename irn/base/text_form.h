// Text forms. What has one has these two functions, declared beside it:
//   std::string to_text(const X& x)
//   X from_text<X>(std::string_view text)     irn::Error for a text that is none
// from_text<X>(to_text(x)) is x.
#pragma once

#include <string_view>

namespace irn {

template <class X>
X from_text(std::string_view text);  // specialised for each X; for any other it does not link

}  // namespace irn
