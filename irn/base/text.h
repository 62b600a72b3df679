// Words about names: lists of them, and which one was probably meant; a text as a cell of a table; whether bytes are text at all, and text as one line.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace irn {

// "a, b, c"
std::string join(std::span<const std::string_view> words, std::string_view separator = ", ");

// How many insertions, deletions, replacements and swaps of neighbours turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to);

// The candidate that `name` was probably meant to be; empty if none is near enough to suggest.
std::string_view closest(std::string_view name, std::span<const std::string_view> candidates);

// 'unknown solver "rk3": did you mean "rk4"? Known: rk4, rk45'
std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string_view> candidates);

// A cell of CSV: in quotes (RFC 4180) where a reader could take it for structure, or drop blanks around it.
std::string csv_cell(std::string_view text);

// Length in bytes of the well-formed UTF-8 character that `text` starts with; 0 when there is none.
std::size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);

// A text that others wrote, such as the name of a column, as a line of a terminal can bear it: control characters as \n, \t or \x1B, and so are
// bytes that are no UTF-8.
std::string one_line(std::string_view text);

}  // namespace irn
