// Helpers for text: lists of names and the one that was probably meant, cells of CSV, UTF-8, text as one
// line.
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

// A cell of CSV. It is quoted (RFC 4180) if a reader could take parts of it for structure, or drop blanks
// around it.
std::string csv_cell(std::string_view text);

// The length in bytes of the well-formed UTF-8 character that `text` starts with; 0 if there is none.
std::size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);

// Foreign text, such as the name of a column, made safe for a line of a terminal: control characters, and
// bytes that are not UTF-8, become \n, \t, \x1B and so on.
std::string one_line(std::string_view text);

}  // namespace irn
