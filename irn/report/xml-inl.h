// Makes text safe inside XML and HTML, whatever bytes it has.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace irn::report {

// Escapes the five special characters. Bytes that are not UTF-8 and code points that XML forbids become
// U+FFFD, so that a strange column name can never make a page unreadable.
std::string escape(std::string_view text);

// Lower-case letters, digits and '-' only, never empty: a safe identifier made from any text.
std::string slug(std::string_view text);

// `pattern` with every {} replaced by the next of `texts`, or {2} by the third. They are inserted unchanged:
// escape() them first.
std::string fill_in(std::string_view pattern, std::initializer_list<std::string_view> texts);

}  // namespace irn::report
