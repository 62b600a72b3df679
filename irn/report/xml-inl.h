// Text that is safe inside XML and HTML, whatever bytes it came from.
#pragma once

#include <string>
#include <string_view>

namespace irn::report {

// Escapes the five special characters; bytes that are not UTF-8 and code points that XML forbids become U+FFFD,
// so that a strange column name can never make a page unreadable.
std::string escape(std::string_view text);

// Lower-case letters, digits and '-' only, never empty: a safe identifier made from any text.
std::string slug(std::string_view text);

// Length in bytes of the well-formed UTF-8 character that `text` starts with; 0 when there is none.
std::size_t utf8_length(std::string_view text);

}  // namespace irn::report
