// Messages to people on standard error: whether it is a terminal, whether it takes colour, times in words.
#pragma once

#include <string>
#include <string_view>

namespace irn::app {

bool on_terminal();
// The text in bold or faint on a terminal, unless NO_COLOR is set.
std::string bold(std::string_view text);
std::string faint(std::string_view text);
// "0:07", "1:02:03"
std::string clock_text(double seconds);
// Characters in a line of the terminal; 80 if it is unknown.
std::size_t terminal_width();
// The line, cut to the width of the terminal: a wrapped line could not be rewritten.
std::string cut_to_terminal(std::string line);
// Returns to the start of the line and empties it.
inline constexpr std::string_view rewrite_line = "\r\033[K";

}  // namespace irn::app
